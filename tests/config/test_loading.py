"""Settings: layers, conversions, and messages that name the culprit."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from voicepipe.config import Settings
from voicepipe.config.loading import load_settings, parse_assignments, profile_names
from voicepipe.config.schema import nearest_key, rules
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import ConfigError


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # no voicepipe.toml unless the test writes one


def load(
    environ: dict[str, str] | None = None,
    profile: str | None = None,
    file: Path | None = None,
    **flags: Any,
) -> Settings:
    overrides = {key.replace("__", "."): value for key, value in flags.items()}
    return load_settings(profile, file, environ or {}, overrides)


def problems(environ: dict[str, str] | None = None, **kwargs: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(environ, **kwargs)
    return str(caught.value).splitlines()


def test_defaults_are_the_builtin_profile() -> None:
    settings = load()
    assert settings.profile == "builtin"
    assert (settings.asr.model, settings.llm.model) == ("builtin/asr", "builtin/llm")
    assert settings.tts.engine == "espeak"
    assert settings.turns == dataclasses.replace(TurnOptions(), endpointing="fused")


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_loads_and_names_itself(name: str) -> None:
    assert load(profile=name).profile == name


def test_there_are_four_profiles() -> None:
    assert profile_names() == ("builtin", "cpu", "gpu", "simulated")


def test_each_layer_beats_the_one_below() -> None:
    file = Path("voicepipe.toml")
    file.write_text("[asr]\nthreads = 3\nlanguage = 'de'\npartial_ms = 100\n")
    environ = {"VOICEPIPE_ASR__LANGUAGE": "fr", "VOICEPIPE_ASR__PARTIAL_MS": "200"}
    settings = load(environ, profile="cpu", asr__partial_ms="300")
    assert settings.asr.model == "whisper-base.en"  # profile
    assert settings.asr.threads == 3  # file over profile's 2
    assert settings.asr.language == "fr"  # environment over file
    assert settings.asr.partial_ms == 300  # flag over environment
    assert settings.asr.device == "cpu"  # default


def test_profile_comes_from_flag_then_environment_then_file() -> None:
    Path("voicepipe.toml").write_text('profile = "gpu"\n')
    assert load().profile == "gpu"
    assert load({"VOICEPIPE_PROFILE": "simulated"}).profile == "simulated"
    assert load({"VOICEPIPE_PROFILE": "simulated"}, profile="cpu").profile == "cpu"


def test_config_file_by_argument_and_by_environment(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[server]\nport = 9001\n")
    assert load(file=other).server.port == 9001
    assert load({"VOICEPIPE_CONFIG": str(other)}).server.port == 9001


def test_a_nested_section_keeps_the_defaults_it_does_not_name() -> None:
    settings = load(simulated__asr__sd_ms="5")
    assert settings.simulated.asr.sd_ms == 5
    assert settings.simulated.asr.mean_ms == 100


def test_texts_become_what_the_setting_needs() -> None:
    settings = load(
        {
            "VOICEPIPE_VAD__WEBRTC_MODE": "3",
            "VOICEPIPE_TURNS__ECHO_GUARD": "false",
            "VOICEPIPE_TURNS__BACKCHANNELS": '["aha", "go on"]',
            "VOICEPIPE_LLM__TOOLS": "get_time, set_timer",
            "VOICEPIPE_ASR__LANGUAGE": "",
            "VOICEPIPE_MODELS_DIR": "/models",
            "VOICEPIPE_SERVER__API_KEY": "s3cret",
        }
    )
    assert settings.vad.webrtc_mode == 3
    assert settings.turns.echo_guard is False
    assert settings.turns.backchannels == frozenset({"aha", "go on"})
    assert settings.llm.tools == ("get_time", "set_timer")
    assert settings.asr.language is None
    assert settings.models_dir == Path("/models")
    assert settings.server.api_key is not None
    assert settings.server.api_key.get_secret_value() == "s3cret"


def test_unknown_key_in_a_file_names_file_key_and_nearest() -> None:
    Path("voicepipe.toml").write_text('[asr]\nmodle = "x"\n')
    assert problems() == ["voicepipe.toml: asr.modle is not a setting; did you mean asr.model?"]


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ("llm.system_prompt", "llm.instructions"),
        ("tts.voice_id", "tts.voice"),
        ("asr.model_path", "asr.model"),
    ],
)
def test_a_name_from_elsewhere_leads_to_ours(given: str, ours: str) -> None:
    section, name = given.split(".")
    Path("voicepipe.toml").write_text(f'[{section}]\n{name} = "x"\n')
    assert problems() == [f"voicepipe.toml: {given} is not a setting; did you mean {ours}?"]


def test_unknown_variable_names_the_nearest_variable() -> None:
    assert problems({"VOICEPIPE_ASR__MODLE": "x"}) == [
        "VOICEPIPE_ASR__MODLE: asr.modle is not a setting; did you mean VOICEPIPE_ASR__MODEL?"
    ]


def test_unknown_flag_of_the_right_name_names_its_section() -> None:
    assert problems(max_sessions="3") == [
        "--set max_sessions: max_sessions is not a setting; did you mean limits.max_sessions?"
    ]


def test_nothing_close_gives_no_suggestion() -> None:
    assert problems(qqqq="1") == ["--set qqqq: qqqq is not a setting"]


def test_a_section_is_not_a_value() -> None:
    assert problems(llm="x") == [
        "--set llm: llm is a section; set one of its keys, e.g. llm.engine"
    ]
    Path("voicepipe.toml").write_text("llm = 3\n")
    assert "llm is a section" in problems()[0]


@pytest.mark.parametrize("value", ["abc", "-1", "70000", "80.5", ""])
def test_a_wrong_number_states_the_whole_rule(value: str) -> None:
    assert problems({"VOICEPIPE_SERVER__PORT": value}) == [
        f"VOICEPIPE_SERVER__PORT={value}: must be a whole number from 0 to 65535"
    ]


@pytest.mark.parametrize("text", ['"abc"', "true", "-1", "[1]", "80.5", "{a = 1}"])
def test_a_wrong_number_in_a_file_shows_the_value(text: str) -> None:
    Path("voicepipe.toml").write_text(f"[server]\nport = {text}\n")
    (line,) = problems()
    assert line.startswith("voicepipe.toml: server.port")


def test_a_wrong_choice_names_the_nearest() -> None:
    assert problems(server__log_level="debgu") == [
        "--set server.log_level=debgu: must be one of debug, info, warning, error; "
        "did you mean debug?"
    ]


def test_a_list_of_choices_names_them_all() -> None:
    assert problems(llm__redact='["carrd"]') == [
        '--set llm.redact=["carrd"]: must be a list of some of card, iban, email, phone, number, '
        "name, address"
    ]


def test_an_unknown_engine_names_the_nearest() -> None:
    Path("voicepipe.toml").write_text('[tts]\nengine = "pipr"\n')
    assert problems() == [
        "voicepipe.toml: tts.engine: must be one of espeak, openai, piper, ray, simulated, "
        "not pipr; did you mean piper?"
    ]


def test_an_unknown_profile_names_the_nearest() -> None:
    assert problems(profile="gup") == [
        "--profile=gup: there is no profile 'gup'; did you mean gpu? "
        "Profiles: builtin, cpu, gpu, simulated."
    ]


def test_turn_options_are_checked_though_they_are_a_plain_dataclass() -> None:
    assert problems(turns__eager_end_ms="soon") == [
        "--set turns.eager_end_ms=soon: must be a whole number from 0 to 600000"
    ]
    assert problems(turns__eager_end_ms="-5", turns__speech_threshold="1.5") == [
        "--set turns.speech_threshold=1.5: must be a number from 0 to 1",
        "--set turns.eager_end_ms=-5: must be a whole number from 0 to 600000",
    ]
    assert problems(turns__idle_timeout_ms="-1")[0].endswith("600000, or empty for none")


def test_every_number_of_the_turn_options_has_a_range() -> None:
    for field in dataclasses.fields(TurnOptions):
        rule = rules()[("turns", field.name)]
        if rule.kind in {"integer", "number"}:
            assert rule.least is not None, field.name
            assert rule.most is not None, field.name


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_no_setting_takes_infinity_or_nan(value: str) -> None:
    for path, rule in rules().items():
        if rule.kind == "number":
            with pytest.raises(ConfigError):
                load_settings(None, None, {}, {".".join(path): value})


def test_all_problems_of_all_layers_come_at_once() -> None:
    Path("voicepipe.toml").write_text('[asr]\nmodle = "x"\n')
    lines = problems({"VOICEPIPE_SERVER__PORT": "abc"}, llm__max_tokens="0")
    assert len(lines) == 3


def test_a_secret_is_never_shown() -> None:
    Path("voicepipe.toml").write_text("[server]\napi_key = 12345\n")
    (line,) = problems()
    assert "12345" not in line
    assert "server.api_key" in line


def test_a_long_value_is_cut() -> None:
    (line,) = problems(server__port="9" * 500)
    assert len(line) < 200


def test_broken_and_missing_files_say_so() -> None:
    assert problems(file=Path("gone.toml")) == [
        "gone.toml: no such file; give --config an existing TOML file"
    ]
    Path("voicepipe.toml").write_text("[asr\n")
    assert problems()[0].startswith("voicepipe.toml: not valid TOML:")
    Path("voicepipe.toml").write_bytes(b"\xff\xfe\x00")
    assert problems()[0].startswith("voicepipe.toml: cannot be read as UTF-8")


def test_kubernetes_service_links_are_not_settings() -> None:
    links = {
        "VOICEPIPE_PORT": "tcp://10.0.0.1:80",
        "VOICEPIPE_PORT_80_TCP_ADDR": "tcp://10.0.0.1:80",
        "VOICEPIPE_SERVICE_HOST": "10.0.0.1",
        "VOICEPIPE_SERVICE_PORT": "80",
    }
    assert load(links) == load()
    assert "is not a setting" in problems({"VOICEPIPE_PORT": "8080"})[0]


def test_kubernetes_service_links_are_known_as_they_really_are() -> None:
    """Of the service "voicepipe" and of others whose names begin so: all that a pod is given."""
    for service in ("VOICEPIPE", "VOICEPIPE_REDIS"):
        links = {
            f"{service}_SERVICE_HOST": "10.0.0.11",
            f"{service}_SERVICE_PORT": "6379",
            f"{service}_SERVICE_PORT_HTTP_API": "6379",
            f"{service}_PORT": "tcp://10.0.0.11:6379",
            f"{service}_PORT_6379_TCP": "tcp://10.0.0.11:6379",
            f"{service}_PORT_6379_TCP_PROTO": "tcp",
            f"{service}_PORT_6379_TCP_PORT": "6379",
            f"{service}_PORT_6379_TCP_ADDR": "10.0.0.11",
        }
        assert load(links) == load()


def test_the_clients_key_is_no_setting_but_nobody_takes_it_for_the_servers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """`voicepipe tail`, `bench` and `call` read it, in the same shell."""
    own = {"VOICEPIPE_SERVER__API_KEY": "k3y-of-server"}
    assert load({"VOICEPIPE_API_KEY": "k3y-of-client", **own}) == load(own)
    assert not caplog.records
    assert load({"VOICEPIPE_API_KEY": "k3y-of-client"}).server.api_key is None
    assert "VOICEPIPE_SERVER__API_KEY" in caplog.text
    assert "k3y" not in caplog.text


def test_assignments_need_an_equals_sign() -> None:
    assert parse_assignments(["a.b=c=d", "x="]) == {"a.b": "c=d", "x": ""}
    with pytest.raises(ConfigError, match=r"--set port: write it as section\.key=value"):
        parse_assignments(["port"])


def test_every_setting_has_a_rule_and_is_its_own_nearest_name() -> None:
    for path, rule in rules().items():
        assert rule.expected()
        assert nearest_key(path) == ".".join(path)
    defaults = Settings().model_dump()
    assert {path[0] for path in rules()} == set(defaults)


def test_a_renamed_setting_works_under_its_old_name_and_says_the_new_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text('[turns]\nsoft_end_ms = 140\nspeculation = "soft_end"\n')
    settings = load_settings(file=file, environ={"VOICEPIPE_TURNS__SPECULATION": "soft_end"})
    assert settings.turns.eager_end_ms == 140
    assert settings.turns.preemptive_generation == "eager_end"
    assert "turns.soft_end_ms is now called turns.eager_end_ms" in caplog.text
    assert (
        'turns.speculation is now called turns.preemptive_generation = "eager_end"' in caplog.text
    )


def test_a_renamed_setting_works_under_its_old_name_for_one_agent_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text('[agents.anna.turns]\nsoft_end_ms = 140\nspeculation = "soft_end"\n')
    turns = load_settings(file=file, environ={}).agents["anna"].turns
    assert turns == {"eager_end_ms": 140, "preemptive_generation": "eager_end"}
    assert "turns.soft_end_ms is now called turns.eager_end_ms" in caplog.text


def test_an_agents_turns_are_judged_together_with_those_of_all(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    anna = "[agents.anna.turns]\nendpoint_min_ms = 1500\n[turns]\n"
    file.write_text(anna + "endpoint_max_ms = 3000\n")
    turns = load_settings(file=file, environ={}).agents["anna"].turns
    assert turns == {"endpoint_min_ms": 1500}
    file.write_text(anna + "endpoint_max_ms = 1400\n")
    with pytest.raises(ConfigError) as refused:
        load_settings(file=file, environ={})
    assert str(refused.value) == (
        f"{file}: agents.anna.turns: endpoint_min_ms: must be at most turns.endpoint_max_ms (1400)"
    )


TOOL_FILE = """
[[tools.http]]
name = "order"
url = "http://127.0.0.1:9000/orders"
headers = { Authorization = "Bearer hush" }
parameters.properties.drink = { type = "string" }
[[tools.http]]
name = "menu"
method = "GET"
url = "http://127.0.0.1:9000/menu"
{more}
[[tools.mcp]]
label = "bookings"
{way}
"""


def tool_file(more: str = "", way: str = 'command = ["python3", "bookings.py"]') -> None:
    text = TOOL_FILE.replace("{more}", more).replace("{way}", way)
    Path("voicepipe.toml").write_text(text)


def test_tools_are_a_list_of_tables() -> None:
    tool_file()
    tools = load().tools
    assert [tool.name for tool in tools.http] == ["order", "menu"]
    assert tools.http[0].parameters == {"properties": {"drink": {"type": "string"}}}
    assert tools.mcp[0].command == ("python3", "bookings.py")
    assert "hush" not in repr(tools)


WRONG_TABLES = [
    ("deadline_ms = 1", "", "http[1].deadline_ms: input should be greater than or equal to 50"),
    ("dedline_ms = 1", "", "http[1].dedline_ms is not a setting; did you mean deadline_ms?"),
    ('wait = "hush"', "", "http[1].wait: input should be 'block' or 'background'"),
    ("", "url = 'http://x/'\ncommand = ['x']", "mcp[0]: give either url or command"),
    ("", "", "mcp[0]: give either url or command"),
    ("[[tools.http]]\nname = 'x'", "url = 'http://x/'", "http[2].url is missing"),
]


@pytest.mark.parametrize(("more", "way", "told"), WRONG_TABLES)
def test_what_is_wrong_in_one_of_several_tables_is_named(more: str, way: str, told: str) -> None:
    tool_file(more, way)
    lines = problems()
    assert f"voicepipe.toml: tools.{told}" in lines
    assert "hush" not in "".join(lines)


def test_turn_options_that_exclude_each_other_are_refused_where_they_were_given(
    tmp_path: Path,
) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text("[turns]\nrelease_threshold = 0.6\nendpoint_max_ms = 200\n")
    with pytest.raises(ConfigError) as raised:
        load_settings("simulated", file, {})
    assert str(raised.value).splitlines() == [
        f"{file}: turns.release_threshold: must be at most turns.speech_threshold (0.5), not 0.6",
        "turns.endpoint_min_ms: must be at most turns.endpoint_max_ms (200)",
    ]
    with pytest.raises(
        ConfigError, match=r"turns\.max_turn_ms=0: must be a whole number from 20 to"
    ):
        load_settings("simulated", environ={}, overrides={"turns.max_turn_ms": "0"})


def test_a_webhook_has_a_name_that_its_column_takes() -> None:
    hook = '{"url": "http://x/", "secret": "whsec_' + "A" * 40 + '"}'
    assert load({"VOICEPIPE_WEBHOOKS": f'{{"{"w" * 64}": {hook}}}'}).webhooks
    with pytest.raises(ConfigError, match="at most 64 characters"):
        load({"VOICEPIPE_WEBHOOKS": f'{{"{"w" * 65}": {hook}}}'})


def test_a_key_that_is_no_utf_8_is_refused_at_the_start_and_not_at_each_request() -> None:
    """As Python reads an environment that was written in another encoding."""
    with pytest.raises(ConfigError, match=r"VOICEPIPE_SERVER__API_KEY=\*\*\*: is no UTF-8 text"):
        load({"VOICEPIPE_SERVER__API_KEY": "Schl\udcfcssel"})
