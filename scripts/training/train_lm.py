"""Train the chat model of the built-in profile and export it.

    python scripts/training/train_lm.py --minutes 20
    python scripts/training/train_lm.py --resume models/builtin/llm-hf --layers 6 --keep FOLDER
    python scripts/training/train_lm.py --draft --minutes 6
    python scripts/training/train_lm.py --average EARLIER-hf LATER-hf --share 0.35

Writes ``models/builtin/llm`` (CTranslate2 int8 and tokenizer) and ``models/builtin/llm-hf`` (the
same weights in bfloat16 for transformers and vLLM), or with ``--draft`` the smaller model of the
same tokenizer in ``models/builtin/llm-draft-hf``. All text comes from :mod:`dialogues`; sentences
of the hand-written questions that judge the model are kept out of it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from dialogues import Dialogue, dialogues
from fast_llama import HALF, hidden_states
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn.functional import linear
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

ROOT: Final = Path(__file__).resolve().parents[2]
MODELS: Final = ROOT / "models" / "builtin"
QUESTIONS: Final = ROOT / "tests" / "data" / "chat" / "questions.jsonl"
SPECIAL_TOKENS: Final = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
)
CONTEXT: Final = 1024  # positions
IGNORED: Final = -100  # label of tokens without loss

# What may become one token: a JSON key with the punctuation around it (a tool call is then half as
# long, to train and to wait for), a digit, a word, punctuation, blanks.
PIECES: Final = (
    r"""[\[\]{}",]*\s?"[a-z_]+":\s?["\[{]?|\p{N}| ?[\p{L}_]+(?:'\p{L}+)?"""
    r"""| ?[^\s\p{L}\p{N}_]+|\s+"""
)

# Appending a message never changes what is rendered before it: every message is a block of its
# own. The tiny model sees the names of the tools alone. Only scalars go through ``tojson``, so a
# plain Jinja environment (which sorts keys) renders the same text as transformers does. Every
# dialogue that the model has learnt begins with the user: where nobody has spoken yet and an answer
# is wanted, "hello" stands in, and the model greets.
CHAT_TEMPLATE: Final = """\
{%- set first = messages[0] if messages and messages[0].role in ('system', 'developer') -%}
{%- set system = first.content if first and first.content else '' -%}
{%- if system or tools -%}
{{- '<|im_start|>system\\n' + system -}}
{%- if tools -%}
{{- '\\n' if system else '' -}}{{- 'tools:' -}}
{%- for tool in tools -%}
{{- ' ' + (tool.function.name if tool.function is defined else tool.name) -}}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content -}}
{{- '\\n</tool_response><|im_end|>\\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' + (message.content or '') -}}
{%- for call in message.tool_calls or [] -%}
{{- '\\n' if message.content or not loop.first else '' -}}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' -}}
{%- if call.function.arguments is string -%}
{{- call.function.arguments -}}
{%- else -%}
{{- '{' -}}
{%- for key, value in call.function.arguments.items() -%}
{{- ('' if loop.first else ', ') + '"' + key + '": ' -}}{{- value | tojson -}}
{%- endfor -%}
{{- '}' -}}
{%- endif -%}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif not (loop.first and message.role in ('system', 'developer')) -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{%- set spoken = messages | selectattr('role', 'in', ['user', 'tool']) | list -%}
{%- if not spoken -%}{{- '<|im_start|>user\\nhello<|im_end|>\\n' -}}{%- endif -%}
{{- '<|im_start|>assistant\\n' -}}
{%- endif -%}
"""


@dataclass(frozen=True)
class Shape:
    """The size of a model."""

    width: int
    layers: int
    heads: int
    inner: int


MAIN: Final = Shape(width=192, layers=4, heads=6, inner=512)
DRAFT: Final = Shape(width=96, layers=2, heads=3, inner=256)


# --------------------------------------------------------------------------------------------
# Text
# --------------------------------------------------------------------------------------------

Segment = tuple[str, bool]


def _assistant_text(message: Mapping[str, Any]) -> str:
    text = str(message["content"] or "")
    for call in message.get("tool_calls", ()):
        function = call["function"]
        text += "\n" if text else ""
        text += f'<tool_call>\n{{"name": "{function["name"]}", '
        text += f'"arguments": {function["arguments"]}}}\n</tool_call>'
    return text


def segments(dialogue: Dialogue) -> Iterator[Segment]:
    """Render a dialogue as the chat template does, in pieces marked "has loss" or not."""
    messages = list(dialogue.messages)
    system = messages.pop(0)["content"] if messages[0]["role"] == "system" else ""
    lines = [system] if system else []
    if dialogue.tools:
        lines.append("tools: " + " ".join(dialogue.tools))
    if lines:
        yield "<|im_start|>system\n" + "\n".join(lines) + "<|im_end|>\n", False
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "assistant":
            yield "<|im_start|>assistant\n", False
            yield _assistant_text(message) + "<|im_end|>", message.get("learn", True)
            yield "\n", False
        elif role == "tool":
            response = f"<tool_response>\n{content}\n</tool_response>"
            yield f"<|im_start|>user\n{response}<|im_end|>\n", False
        else:
            yield f"<|im_start|>{role}\n{content}<|im_end|>\n", False


def normal_form(text: str) -> str:
    """Lower case words alone, for comparing sentences."""
    kept = "".join(c if c.isalnum() or c == "'" else " " for c in text.lower())
    return " ".join(kept.split())


def held_out_sentences(path: Path = QUESTIONS) -> frozenset[str]:
    """What the user says in the questions that judge the model (last user message of each)."""
    if not path.exists():
        return frozenset()
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return frozenset(
        normal_form(next(m["content"] for m in reversed(q["messages"]) if m["role"] == "user"))
        for q in lines
    )


def training_dialogues(seed: int) -> Iterator[Dialogue]:
    """Dialogues in which no user message is a held-out question of more than three words.

    Short answers ("yes please") can't be told apart from any others and are let through.
    """
    held_out = {s for s in held_out_sentences() if len(s.split()) > 3}
    for dialogue in dialogues(seed):
        said = (normal_form(m["content"]) for m in dialogue.messages if m["role"] == "user")
        if held_out.isdisjoint(said):
            yield dialogue


def train_tokenizer(seed: int, size: int = 2000, count: int = 20_000) -> Tokenizer:
    """Byte-level BPE on ``count`` dialogues; digits are always tokens of their own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (
        text
        for dialogue in itertools.islice(training_dialogues(seed), count)
        for text, _ in segments(dialogue)
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def wrap_tokenizer(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The tokenizer as transformers and vLLM load it, with its chat template."""
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        bos_token="<|endoftext|>",
        unk_token="<|endoftext|>",
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


def check_template(tokenizer: PreTrainedTokenizerFast, count: int = 300) -> None:
    """Fail unless the chat template renders dialogues exactly as they are trained."""
    for dialogue in itertools.islice(dialogues(123), count):
        tools = [{"type": "function", "function": {"name": name}} for name in dialogue.tools]
        rendered = tokenizer.apply_chat_template(
            [dict(message) for message in dialogue.messages], tools=tools or None, tokenize=False
        )
        expected = "".join(text for text, _ in segments(dialogue))
        if rendered != expected:
            raise AssertionError(f"template differs:\n{rendered!r}\n{expected!r}")


# --------------------------------------------------------------------------------------------
# Batches
# --------------------------------------------------------------------------------------------

Example = tuple[list[int], list[int]]


def encode(tokenizer: Tokenizer, dialogue: Dialogue) -> Example:
    """Token ids and labels (ids, or IGNORED where there is no loss) of one dialogue."""
    ids: list[int] = []
    labels: list[int] = []
    for text, learn in segments(dialogue):
        piece = tokenizer.encode(text, add_special_tokens=False).ids
        ids += piece
        labels += piece if learn else [IGNORED] * len(piece)
    return ids[:CONTEXT], labels[:CONTEXT]


def batches(
    tokenizer: Tokenizer, seed: int, tokens: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless (ids, labels) of about ``tokens`` tokens, dialogues of like length together.

    Padding is on the right, where a causal model can't see it, so no attention mask is needed.
    """
    rng = random.Random(seed)
    source = training_dialogues(seed)
    while True:
        pool = [encode(tokenizer, dialogue) for dialogue in itertools.islice(source, 1024)]
        pool.sort(key=lambda example: len(example[0]))
        groups: list[list[Example]] = [[]]
        for example in pool:
            if groups[-1] and len(example[0]) * (len(groups[-1]) + 1) > tokens:
                groups.append([])
            groups[-1].append(example)
        rng.shuffle(groups)
        yield from (_pad(group) for group in groups)


def _pad(group: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(ids) for ids, _ in group)
    ids = torch.zeros(len(group), longest, dtype=torch.long)
    labels = torch.full((len(group), longest), IGNORED)
    for row, (some_ids, some_labels) in enumerate(group):
        ids[row, : len(some_ids)] = torch.tensor(some_ids)
        labels[row, : len(some_labels)] = torch.tensor(some_labels)
    return ids, labels


# --------------------------------------------------------------------------------------------
# Model
# --------------------------------------------------------------------------------------------


def new_model(shape: Shape, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A random Llama of this shape."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        attn_implementation="eager",
    )
    return LlamaForCausalLM(config)


def grown(model: LlamaForCausalLM, layers: int) -> LlamaForCausalLM:
    """The same function in more layers: each new one is a copy that adds nothing yet.

    The output projections of a copy begin at zero; the copies stand behind the last layers.
    """
    old = model.config.num_hidden_layers
    config = LlamaConfig(**{**model.config.to_dict(), "num_hidden_layers": layers})
    config._attn_implementation = "eager"
    bigger = LlamaForCausalLM(config)
    origin = [min(index, old - 1) for index in range(layers)]
    state = {name: value for name, value in model.state_dict().items() if ".layers." not in name}
    for index, source in enumerate(origin):
        for name, value in model.model.layers[source].state_dict().items():
            adds = name in ("self_attn.o_proj.weight", "mlp.down_proj.weight")
            kept = torch.zeros_like(value) if index >= old and adds else value
            state[f"model.layers.{index}.{name}"] = kept
    bigger.load_state_dict(state)
    return bigger


def loss_of(model: LlamaForCausalLM, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy (nats) of the assistant's tokens; other logits are never computed."""
    hidden = hidden_states(model, ids)[:, :-1]
    targets = labels[:, 1:]
    wanted = targets != IGNORED
    logits = linear(hidden[wanted], model.lm_head.weight.to(HALF))
    return torch.nn.functional.cross_entropy(logits.float(), targets[wanted])


def learning_rate(done: float, step: int, peak: float, flat: float) -> float:
    """Linear warm-up over 50 steps, flat for a share of the time, then a cosine down to 2 %."""
    warm = min(1.0, (step + 1) / 50)
    fall = min(1.0, max(0.0, (done - flat) / (1 - flat)))
    return peak * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * fall)))


def new_optimizers(model: LlamaForCausalLM, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for the embedding and the norms.

    Muon needs about half of AdamW's tokens here; its updates are scaled to AdamW's size so that
    both share one learning rate.
    """
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    inner = {id(p) for p in matrices}
    rest = [p for p in model.parameters() if id(p) not in inner]
    return [
        torch.optim.Muon(
            matrices, lr=rate, momentum=0.95, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]


@dataclass
class Progress:
    """How far a training is."""

    steps: int = 0
    tokens: int = 0
    minutes: float = 0.0
    loss: float = 0.0


def save_state(
    folder: Path, model: LlamaForCausalLM, optimizers: Sequence[Any], progress: Progress
) -> None:
    """Write all that is needed to go on, in one step."""
    state = {
        "model": model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
        "progress": vars(progress),
    }
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(state, folder / "state.part")
    (folder / "state.part").replace(folder / "state.pt")


def load_state(folder: Path, model: LlamaForCausalLM, optimizers: Sequence[Any]) -> Progress:
    """Go on where a training of this folder was; from the beginning where there is none."""
    if not (folder / "state.pt").exists():
        return Progress()
    state = torch.load(folder / "state.pt", weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, values in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(values)
    return Progress(**state["progress"])


def train(
    model: LlamaForCausalLM,
    data: Iterator[tuple[torch.Tensor, torch.Tensor]],
    args: argparse.Namespace,
) -> dict[str, float]:
    """Train for ``args.minutes`` of wall time in all, saying every 50 steps where it stands.

    With ``args.keep`` the state is written there every two minutes and when the training is
    asked to end (SIGTERM); started again, it goes on from there.
    """
    optimizers = new_optimizers(model, args.lr)
    progress = load_state(args.keep, model, optimizers) if args.keep else Progress()
    before, start, seen, kept = progress.minutes, time.monotonic(), 0, 0.0
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    model.train()
    while not ended.is_set() and progress.minutes < args.minutes:
        done, step = progress.minutes / args.minutes, progress.steps
        for group in itertools.chain(*(optimizer.param_groups for optimizer in optimizers)):
            group["lr"] = learning_rate(done, step, args.lr, args.flat)
        ids, labels = next(data)
        loss = loss_of(model, ids, labels)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        seen += ids.numel()
        progress.tokens += ids.numel()
        progress.steps += 1
        progress.minutes = before + (time.monotonic() - start) / 60
        recent = loss.item()
        progress.loss = recent if step == 0 else 0.98 * progress.loss + 0.02 * recent
        if step % 50 == 0:
            rate = seen / (time.monotonic() - start)
            print(
                f"{done:4.0%} step {step} loss {progress.loss:.4f} {rate:,.0f} tokens/s", flush=True
            )
        if args.keep and progress.minutes - kept > 2:
            kept = progress.minutes
            save_state(args.keep, model, optimizers, progress)
    if args.keep:
        save_state(args.keep, model, optimizers, progress)
    return vars(progress)


# --------------------------------------------------------------------------------------------
# Export
# --------------------------------------------------------------------------------------------


def export_hf(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write bfloat16 safetensors, config and tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    model = model.to(torch.bfloat16)
    model.config.dtype = torch.bfloat16
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    save_tokenizer(tokenizer, folder)


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the tokenizer's files, the chat template inside ``tokenizer_config.json``."""
    tokenizer.save_pretrained(folder, save_jinja_files=False)
    special = {name: getattr(tokenizer, name) for name in ("bos_token", "eos_token", "pad_token")}
    (folder / "special_tokens_map.json").write_text(json.dumps(special, indent=2) + "\n")


def export_ct2(hf_folder: Path, folder: Path) -> None:
    """Convert to CTranslate2 int8 beside the tokenizer's files, keeping the model card."""
    from ctranslate2.converters import TransformersConverter

    card = folder / "MODEL_CARD.md"
    kept = card.read_text() if card.exists() else None
    files = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
    files.append("generation_config.json")
    converter = TransformersConverter(str(hf_folder), copy_files=files, load_as_float16=False)
    converter.convert(str(folder), quantization="int8", force=True)
    if kept is not None:
        card.write_text(kept)


def average(
    first: Path, second: Path, share: float, tokenizer: PreTrainedTokenizerFast, out: Path
) -> None:
    """Export ``(1 - share) * first + share * second`` of two checkpoints of one lineage.

    Two stages of the same run, each with its rate decayed to nothing, lie in one basin; their mean
    keeps what each learnt of the data that the other saw less of (Izmailov et al., 2018).
    """
    model = LlamaForCausalLM.from_pretrained(first, dtype=torch.float32)
    other = LlamaForCausalLM.from_pretrained(second, dtype=torch.float32).state_dict()
    mean = {k: (1 - share) * v + share * other[k] for k, v in model.state_dict().items()}
    model.load_state_dict(mean)
    export_hf(model, tokenizer, out / "llm-hf")
    export_ct2(out / "llm-hf", out / "llm")


def report(
    folder: Path, args: argparse.Namespace, model: LlamaForCausalLM, **figures: float
) -> None:
    """Write how the model came to be beside it."""
    facts = {
        "seed": args.seed,
        "minutes": args.minutes,
        "learning_rate": args.lr,
        "flat": args.flat,
        "resumed": args.resume is not None,
        "batch_tokens": args.batch_tokens,
        "parameters": sum(p.numel() for p in model.parameters()),
        **figures,
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts))


def parse_args() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20.0, help="wall time of training")
    parser.add_argument("--lr", type=float, default=4e-3, help="peak learning rate")
    parser.add_argument("--flat", type=float, default=0.4, help="share of time before the decay")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=MODELS)
    parser.add_argument("--draft", action="store_true", help="train the small draft model")
    parser.add_argument("--resume", type=Path, help="go on from this exported (-hf) folder")
    parser.add_argument("--layers", type=int, help="grow what is resumed to this many layers")
    parser.add_argument("--keep", type=Path, help="folder of the state to go on from")
    parser.add_argument(
        "--average", type=Path, nargs=2, help="train nothing: export the mean of two (-hf) folders"
    )
    parser.add_argument("--share", type=float, default=0.5, help="the second folder's share of it")
    return parser.parse_args()


def main() -> None:
    """Train one model and export it."""
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    if args.average:
        first = Tokenizer.from_file(str(args.average[0] / "tokenizer.json"))
        earlier, later = args.average
        average(earlier, later, args.share, wrap_tokenizer(first), args.out)
        return
    hf_folder = args.out / ("llm-draft-hf" if args.draft else "llm-hf")
    main_tokenizer = (args.resume or args.out / "llm-hf") / "tokenizer.json"
    if args.draft or args.resume:
        tokenizer = wrap_tokenizer(Tokenizer.from_file(str(main_tokenizer)))
    else:
        tokenizer = wrap_tokenizer(train_tokenizer(args.seed))
    check_template(tokenizer)
    if args.resume:
        model = LlamaForCausalLM.from_pretrained(args.resume, dtype=torch.float32)
        if args.layers:
            model = grown(model, args.layers)
    else:
        model = new_model(DRAFT if args.draft else MAIN, tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(tokenizer)} tokens")
    data = batches(tokenizer.backend_tokenizer, args.seed, args.batch_tokens)
    figures = train(model, data, args)
    if hf_folder.exists() and not args.draft:
        shutil.rmtree(hf_folder)
    export_hf(model, tokenizer, hf_folder)
    report(hf_folder, args, model, **figures)
    if not args.draft:
        export_ct2(hf_folder, args.out / "llm")


if __name__ == "__main__":
    main()
