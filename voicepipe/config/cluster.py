"""Engines in pools on Ray Serve, shared by gateways on many machines (docs/cluster.md)."""

from __future__ import annotations

from pydantic import Field, SecretStr

from voicepipe.config.section import Ms, Section


class PoolSettings(Section):
    """One pool: the engine that the settings name there, on several replicas."""

    min_replicas: int = Field(1, ge=1, le=10_000)
    max_replicas: int = Field(
        1, ge=1, le=10_000
    )  # more than min: Ray adds replicas by work waiting
    at_once: int = Field(8, ge=1, le=4096)  # calls that a replica's engine works on; for asr,
    # utterances that are open
    max_waiting: int = Field(8, ge=0, le=4096)  # more wait there, the urgent first; one more is
    # given to another replica, and refused when all are full
    target: float = Field(6.0, gt=0, le=4096)  # calls a replica should have; more add replicas
    upscale_s: float = Field(10.0, ge=0, le=3600)  # more is wanted for so long first
    downscale_s: float = Field(300.0, ge=0, le=36_000)  # and less for so long
    look_back_s: float = Field(10.0, gt=0, le=600)  # over which the work is averaged
    cpus: float = Field(1.0, ge=0, le=1024)  # that Ray reserves for a replica
    gpus: float = Field(0.0, ge=0, le=64)


class ClusterSettings(Section):
    address: tuple[str, ...] = Field((), max_length=32)  # of Ray Serve, one for each node that may
    # be asked: "http://10.0.0.5:8000"; heavy engines are those of its pools then
    key: SecretStr | None = None  # gateways and pools prove to each other that they know it;
    # needed where they are on different machines
    asr: str = "asr"  # the pool that asr.engine = "ray" speaks to
    llm: str = "llm"  # the same of llm.engine
    tts: str = "tts"  # the same of tts.engine
    silence_ms: Ms = 30_000  # a call that brings nothing for so long has failed
    hedge_ms: Ms = 0  # an answer or a clause that has not begun by then is asked of another replica
    # too, and the first to begin is kept; 0 = never
    drain_s: float = Field(120.0, ge=0, le=3600)  # calls of a replica that is taken away may go on
    pools: dict[str, PoolSettings] = Field(default_factory=dict)  # by engine: "llm",
    # "asr.fallback" ...; docs/cluster.md. Light engines are in a pool only if they are named here
