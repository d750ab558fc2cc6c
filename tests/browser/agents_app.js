// An app as the Agents SDK's guide has it, but for the base URL and what the test looks at.
import { OpenAIRealtimeWebRTC, RealtimeAgent, RealtimeSession, tool } from "@openai/agents/realtime";
import { z } from "zod";

const app = (window.app = { errors: [], toolCalls: [], history: [] });

const getTime = tool({
  name: "get_time",
  description: "The local time, date and weekday.",
  parameters: z.object({}),
  async execute() {
    app.toolCalls.push("get_time");
    return '{"time": "19:30", "date": "2026-11-21", "weekday": "Saturday"}';
  },
});

// `key`: an ephemeral one (ek_...) that the app's own back end got from the server.
app.start = async (baseUrl, key) => {
  const agent = new RealtimeAgent({
    name: "Assistant",
    instructions: "You are a helpful desk and home assistant.",
    tools: [getTime],
  });
  const transport = new OpenAIRealtimeWebRTC({ baseUrl });
  app.session = new RealtimeSession(agent, { transport });
  app.session.on("error", ({ error }) => app.errors.push(JSON.stringify(error) + String(error)));
  app.session.on("history_updated", (history) => (app.history = history));
  const late = new Promise((_, reject) => setTimeout(reject, 30_000, new Error("not connected")));
  await Promise.race([app.session.connect({ apiKey: key }), late]);
};

// What both sides said, as [role, text].
app.said = () =>
  app.history
    .filter((item) => item.type === "message")
    .map(({ role, content }) => [role, content.map((c) => c.transcript ?? c.text ?? "").join("")]);
