"""Local models through transformers: seeds of their own in a shared batch, limits, folding, errors."""

import asyncio
import math

import pytest

from colbench.chat import ChatContextError, ChatEmptyError
from colbench.chat.checkpoints import find_checkpoint
from colbench.chat.local import LocalModel
from colbench.errors import ConfigurationError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = [f"w{i}" for i in range(60)]
TEMPLATE = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}[{{ m.role }}] {{ m.content }} {% endfor %}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoint of a few thousand random weights, with a word-level tokenizer and a strict chat template."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    place = tmp_path_factory.mktemp("tiny")
    vocabulary = {word: i for i, word in enumerate(["<pad>", "<eos>", "<unk>", "[user]", "[assistant]", *WORDS])}
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", chat_template=TEMPLATE
    )
    tokenizer.save_pretrained(place)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.LlamaForCausalLM(config).save_pretrained(place)
    return str(place)


def ask(model, text, seed):
    return model.complete([{"role": "system", "content": "w1"}, {"role": "user", "content": text}], seed=seed)


async def test_replies_depend_on_their_seed_and_not_on_the_batch(folder):
    model = LocalModel(folder, max_tokens=12, max_batch=8, batch_wait=0.3)
    questions = [("w3", 1), ("w3", 2), ("w4 w5 w6 w7", 1), ("w3", 1), ("w8 w9", 5)]
    together = await asyncio.gather(*(ask(model, text, seed) for text, seed in questions))
    assert model.batches == 1
    assert together[0].text == together[3].text != together[1].text
    alone = LocalModel(folder, max_tokens=12, max_batch=1)
    for (text, seed), reply in zip(questions, together, strict=True):
        single = await ask(alone, text, seed)
        assert (single.text, single.token_ids) == (reply.text, reply.token_ids)
        assert single.logprobs == pytest.approx(reply.logprobs, abs=1e-4)
        assert len(reply.token_ids) == len(reply.logprobs) == reply.usage.completion_tokens <= 12
        assert all(value <= 0 for value in reply.logprobs)


async def test_log_probabilities_are_those_of_the_policy(folder):
    model = LocalModel(folder, max_tokens=6, temperature=0.7, top_p=0.8)
    reply = await ask(model, "w3 w4", 3)
    tokenizer, network = model.load()
    prompt = tokenizer("[user] w1\n\nw3 w4 ", add_special_tokens=False)["input_ids"]
    ids = torch.tensor([prompt + list(reply.token_ids)])
    logits = network(ids).logits[0, len(prompt) - 1 : -1].detach()
    for step, (token, logprob) in enumerate(zip(reply.token_ids, reply.logprobs, strict=True)):
        p = torch.softmax(logits[step].double() / 0.7, -1)
        order = p.argsort(descending=True)
        kept = [int(t) for n, t in enumerate(order) if float(p[order[:n]].sum()) < 0.8]
        assert token in kept
        assert math.exp(logprob) == pytest.approx(float(p[token] / p[kept].sum()), rel=1e-3)


async def test_sampling_follows_the_distribution(folder):
    model = LocalModel(folder, max_tokens=1, max_batch=64, batch_wait=0.2)
    replies = await asyncio.gather(*(ask(model, "w3", seed) for seed in range(600)), return_exceptions=True)
    drawn = [r.token_ids[0] for r in replies if not isinstance(r, Exception)]
    tokenizer, network = model.load()
    prompt = tokenizer("[user] w1\n\nw3 ", add_special_tokens=False)["input_ids"]
    p = torch.softmax(network(torch.tensor([prompt])).logits[0, -1], -1)
    # A special token decodes to nothing, is asked for again and so ends up as another word.
    words = [i for i in range(len(p)) if i not in (0, 1, 2)]
    mean = sum(drawn.count(i) * i for i in words) / sum(drawn.count(i) for i in words)
    expected = float(sum(p[i] * i for i in words) / p[words].sum())
    assert abs(mean - expected) < 4 * 19 / math.sqrt(600)
    assert len(set(drawn)) > 40


async def test_temperature_zero_takes_the_likeliest(folder):
    model = LocalModel(folder, max_tokens=5, temperature=0)
    assert (await ask(model, "w3", 1)).token_ids == (await ask(model, "w3", 2)).token_ids


async def test_requests_of_several_lengths_share_a_batch(folder):
    model = LocalModel(folder, max_tokens=20, batch_wait=0.3)
    short, long = await asyncio.gather(ask(model, "w3", 1), ask(model, " ".join(WORDS[:40]), 1))
    assert short.finish_reason in ("stop", "length") and long.usage.prompt_tokens > short.usage.prompt_tokens


async def test_an_overlong_prompt_is_told_apart_and_spares_its_batch(folder):
    model = LocalModel(folder, max_tokens=20, batch_wait=0.3)
    results = await asyncio.gather(ask(model, "w3 " * 120, 1), ask(model, "w3", 1), return_exceptions=True)
    assert isinstance(results[0], ChatContextError) and "exceeds the context of 128" in str(results[0])
    assert results[1].text


async def test_a_model_that_ends_at_once_says_nothing(folder):
    model = LocalModel(folder, max_tokens=5)
    _, network = model.load()
    with torch.no_grad():
        network.lm_head.weight.zero_()
    # All logits are equal now, and the likeliest token is the first one: the padding, which decodes to nothing.
    model.temperature = 0.0
    with pytest.raises(ChatEmptyError):
        await ask(model, "w3", 1)


async def test_a_cancelled_request_does_not_hold_the_others(folder):
    model = LocalModel(folder, max_tokens=5, batch_wait=0.2)
    task = asyncio.create_task(ask(model, "w3", 1))
    await asyncio.sleep(0)
    task.cancel()
    assert (await ask(model, "w3", 2)).text


async def test_an_error_of_the_model_reaches_everybody_who_waits(folder):
    model = LocalModel(folder, device="no-such-device", max_tokens=5)
    results = await asyncio.gather(ask(model, "w3", 1), ask(model, "w4", 1), return_exceptions=True)
    assert all(isinstance(r, Exception) and "device" in str(r) for r in results)


def test_checkpoints(folder, tmp_path):
    first = find_checkpoint(folder)
    assert first.identity == find_checkpoint(folder).identity and first.gguf_file is None
    (tmp_path / "m.gguf").write_bytes(b"GGUF" * 100)
    assert find_checkpoint(str(tmp_path / "m.gguf")).gguf_file == "m.gguf"
    assert find_checkpoint(str(tmp_path), "m.gguf").place == str(tmp_path)
    assert find_checkpoint("org/name").identity == "org/name"
    for model, gguf, message in (
        ("", None, "give model"),
        (str(tmp_path), None, "is no checkpoint"),
        (str(tmp_path), "other.gguf", "holds no file 'other.gguf'"),
        ("./none", None, "there is no such file or folder"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            find_checkpoint(model, gguf)
    with pytest.raises(ConfigurationError, match="max_tokens must be a whole number of at least 1, actually: 0"):
        LocalModel(folder, max_tokens=0)


async def test_agent_and_collaborator_play_with_it(folder, tmp_path):
    from colbench.agents import load_agent
    from colbench.judge import Verdict
    from colbench.rollout import Rollout
    from colbench.simulators import load_collaborator
    from colbench.tasks import load_tasks

    class Judge:
        kind = "backend"
        reply_chars = 400

        async def look(self, task, visible):
            return None

        async def reference(self, task):
            return None

        async def verdict(self, task, answer, page):
            return Verdict(score=0.0, success=False, outcomes=())

        def describe(self):
            return {}

    prompt = tmp_path / "p.txt"
    prompt.write_text("w1 w2 {turns_left}")
    agent = load_agent("transformers", {"model": folder, "prompt": str(prompt), "max_tokens": 4})
    prompt.write_text("w1 {dialogue_history}")
    collaborator = load_collaborator("transformers", {"model": folder, "prompt": str(prompt), "max_tokens": 4})
    tasks = load_tasks("bundled", split="test")[:4]
    run = Rollout("ColBench-Backend-v0", tasks, agent, collaborator, Judge(), max_turns=2)
    result = await run.run(tmp_path / "run")
    assert {t.status for t in result.values()} <= {"completed", "failed"} and len(result) == 4
    done = [t for t in result.values() if t.status == "completed"]
    assert done and all(turn.token_ids and turn.usage.calls for t in done for turn in t.turns if turn.raw)
    assert agent.engine.batches < 8
    with pytest.raises(ConfigurationError, match="unknown option 'max_token'"):
        load_agent("transformers", {"model": folder, "max_token": 4})
