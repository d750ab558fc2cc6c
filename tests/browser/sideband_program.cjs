// A program in charge of a call, as the guide of OpenAI's SDK for JavaScript has it: it joins the call
// beside its caller, gives it a tool, answers its call, and hangs up. What it sees goes to stdout, a
// JSON line each. `node sideband_program.cjs BASE_URL CALL_ID`
const { OpenAI } = require("openai");
const { OpenAIRealtimeWS } = require("openai/realtime/ws");

const [baseURL, callID] = process.argv.slice(2);
const client = new OpenAI({ apiKey: "none", baseURL });
const call = new OpenAIRealtimeWS({ callID }, client);
const tell = (event, value) => process.stdout.write(`${JSON.stringify({ event, value })}\n`);

const weather = {
  type: "function",
  name: "get_weather",
  description: "Weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

call.on("error", (error) => tell("error", String(error)));
call.socket.on("close", (code) => tell("closed", code));

call.on("session.created", ({ session }) => {
  tell("joined", session.id);
  const update = { type: "realtime", instructions: "Be brief.", tools: [weather] };
  call.send({ type: "session.update", session: update });
});

call.on("session.updated", ({ session }) => tell("updated", session.tools[0].name));

call.on("response.done", async ({ response }) => {
  const [item] = response.output;
  if (item.type === "function_call") {
    tell("called", JSON.parse(item.arguments).city);
    const output = { type: "function_call_output", call_id: item.call_id, output: "sunny" };
    call.send({ type: "conversation.item.create", item: output });
    call.send({ type: "response.create" });
    return;
  }
  tell("said", item.content[0].transcript);
  await client.realtime.calls.hangup(callID);
  tell("hung up", callID);
});
