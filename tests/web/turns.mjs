/** A `voicepipe.turn` as the server sends it: one prepared at the eager end, 307 ms in all. */

const CRITICAL = { endpoint: 301, asr: 0, llm: 0, clause: 0, tts: 0, output: 6 };

export function turn({ critical_ms = {}, marks_ms = {}, ...rest } = {}) {
  const critical = { ...CRITICAL, ...critical_ms };
  return {
    turn_id: 'turn_1',
    origin: 'speech',
    end: 'completed',
    voice_to_voice_ms: Object.values(critical).reduce((sum, ms) => sum + ms, 0),
    critical_ms: critical,
    work_ms: { asr: 12, llm: 20 },
    budget_ms: { endpoint: 320, asr: 60, llm: 100, clause: 50, tts: 80, output: 30 },
    over_budget: [],
    marks_ms: {
      speech_end: 0,
      eager_end: 120,
      endpoint: 301,
      asr_final: 135,
      llm_request: 135,
      llm_first_token: 155,
      first_clause: 160,
      tts_first_audio: 190,
      audio_out: 307,
      ...marks_ms,
    },
    preemption: 'hit',
    discards: 0,
    note: null,
    ...rest,
  };
}
