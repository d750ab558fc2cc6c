"""Which tests are slow, or need a browser or a database: by place, so that a new file in such a
folder is marked too. `scripts/test --quick` leaves all of them out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

LONGEST: tuple[str, ...] = (
    "browser/test_console.py",
    "cluster/test_ray.py",
    "browser/test_call_survives.py",
    "e2e/test_agent_examples.py",
    "e2e/test_builtin.py",
    "whatif/test_prediction.py",
    "cluster/test_contracts.py",
    "mutation/test_mutants.py",
    "asr/sphinx/test_engine.py",
    "server/webrtc/test_call.py",
)
"""The files that take longest, in this order: several workers begin with them."""

TOGETHER: tuple[tuple[str, ...], ...] = (
    (
        "browser/test_call_survives.py",
        "browser/test_calls_view.py",
        "browser/test_firefox.py",
        "browser/test_hanging_up.py",
        "browser/test_key.py",
        "browser/test_regions.py",
    ),
    ("browser",),
)
"""Files and folders that share what takes long to start: a browser, or that and a server. Those of
a group are run by the same worker; the first group that has a file counts."""

PLACES: Mapping[str, tuple[str, ...]] = {
    "alone": (
        "lab/bench/test_gpu_bench.py",
        "lab/fuzz/test_stalls.py",
        "lab/test_soak.py",
        "runtime/test_event_loop.py",
        "server/telephony/test_barge_in.py",
    ),
    "browser": ("browser", "server/test_sideband_js.py", "web"),
    "cluster": ("cluster/test_ray.py",),
    "postgres": ("call_log/test_postgres.py",),
    "slow": (  # calls in real time, real engines, whole processes
        "asr/engines/test_builtin_model.py",
        "asr/engines/test_transformers.py",
        "asr/sphinx/test_engine.py",
        "asr/sphinx/test_utterance.py",
        "browser",
        "call_log/test_command.py",
        "call_log/test_crash.py",
        "call_log/test_realtime.py",
        "call_log/test_webrtc.py",
        "cli/test_cli.py",
        "cli/test_serve.py",
        "cluster/test_contracts.py",
        "cluster/test_engine_process.py",
        "cluster/test_ray.py",
        "deploy",
        "e2e",
        "fit/test_measure.py",
        "lab/bench/test_asr_command.py",
        "lab/bench/test_barge_in.py",
        "lab/bench/test_gpu_bench.py",
        "lab/bench/test_overhead.py",
        "lab/bench/test_phone.py",
        "lab/bench/test_processes_command.py",
        "lab/bench/test_socket_line.py",
        "lab/bench/test_turns_command.py",
        "lab/bench/test_webrtc_line.py",
        "lab/test_cli_call.py",
        "llm/engines/test_ctranslate2.py",
        "llm/engines/test_llama_cpp.py",
        "llm/llama_cpp",
        "mutation",
        "protocols/telephony/test_emulated_calls.py",
        "protocols/telephony/test_sim_webhook.py",
        "server/gateways",
        "server/telephony",
        "server/test_agents.py",
        "server/test_client_mcp.py",
        "server/test_example_engine.py",
        "server/test_fair_share.py",
        "server/test_incoming_clients.py",
        "server/test_limits.py",
        "server/test_lockouts.py",
        "server/test_loop_lag.py",
        "server/test_memory.py",
        "server/test_shutdown.py",
        "server/test_sideband.py",
        "server/test_sideband_js.py",
        "server/test_tls.py",
        "server/test_traces.py",
        "server/test_webhooks.py",
        "server/webrtc",
        "session/test_any_order.py",
        "session/test_end_of_turn.py",
        "test_full_size.py",
        "tts/test_espeak.py",
        "tts/test_named_voices.py",
        "tts/test_piper.py",
        "tts/test_vits.py",
        "vllm_cpu",
        "whatif/test_command.py",
        "whatif/test_prediction.py",
        "workers",
    ),
}

TESTS = Path(__file__).parent


def markers_of(file: Path) -> list[str]:
    """The markers of all tests in a file."""
    try:
        place = file.relative_to(TESTS)
    except ValueError:
        return []
    names = {str(place), *map(str, place.parents)}
    return [marker for marker, places in PLACES.items() if not names.isdisjoint(places)]
