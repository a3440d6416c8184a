/**
 * Tries a provider's package out before it is trusted: it is pointed at a server in this process,
 * and has to hand on argument text that a parser would change, and must not pass over an event that
 * it can't read. So a version that behaves otherwise is found at the start, not in a call.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnswerCollector } from '../collect-answer.ts';
import type { ChatModel } from '../model.ts';
import type { Provider } from './provider.ts';

/** Twins of a key, a number that is too long, a broken end: what libraries mend in silence. */
const TEXTS = ['{"to":"a","to":"b", "n":2512292042121000001}', '{"path":"/srv/tm'];
const PROBE_MS = 10_000;

/** Says why a provider's package can't be read strictly; undefined when it can. */
export async function probeProvider(
  provider: Provider,
  exported: unknown,
): Promise<string | undefined> {
  let events = wholeAnswer(provider.protocol);
  const server = createServer((_request, response) => sendEvents(response, events));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const access = { model: 'probe', apiKey: 'probe', baseUrl: `http://127.0.0.1:${port}` };
  try {
    const stream = provider.open(exported, access);
    const answer = await collect(stream);
    const texts = answer.calls.map(({ args }) => args);
    if (JSON.stringify(texts) !== JSON.stringify(TEXTS)) {
      return 'it does not hand on the text of arguments as the model wrote it';
    }
    if (answer.finishReason !== 'tool_calls') return 'it does not say whether an answer is whole';
    const name = provider.protocol === 'anthropic' ? 'event: content_block_delta\n' : '';
    events = events.toSpliced(-3, 0, `${name}data: {"broken`);
    const isWhole = await collect(stream).then(
      ({ finishReason }) => finishReason === 'tool_calls',
      () => false,
    );
    return isWhole ? 'it passes over a part of an answer that it can’t read' : undefined;
  } catch (error) {
    return `it failed when it was tried out (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function collect(stream: ChatModel['stream']) {
  const collector = createAnswerCollector();
  for await (const piece of stream([], [], AbortSignal.timeout(PROBE_MS))) collector.add(piece);
  return collector.answer();
}

function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `${event}\n\n`).join(''));
}

function wholeAnswer(protocol: Provider['protocol']): readonly string[] {
  const pieces = TEXTS.flatMap((text, at) => [
    { at, id: `probe${at}`, args: text.slice(0, 12) },
    { at, args: text.slice(12) },
  ]);
  if (protocol === 'openai') {
    const deltas = pieces.map(({ at, id, args }) => ({
      role: 'assistant',
      tool_calls: [
        { index: at, id, type: 'function', function: { name: id && 'probe', arguments: args } },
      ],
    }));
    return [
      ...deltas.map((delta) => completionEvent(delta, null)),
      completionEvent({}, 'tool_calls'),
      'data: [DONE]',
    ];
  }
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'probe', type: 'message', role: 'assistant', model: 'probe', content: [] };
  return [
    namedEvent('message_start', { message: { ...message, stop_reason: null, usage } }),
    ...pieces.flatMap(({ at: index, id, args }) => {
      const block = { type: 'tool_use', id, name: 'probe', input: {} };
      const delta = { type: 'input_json_delta', partial_json: args };
      const piece = namedEvent('content_block_delta', { index, delta });
      return id
        ? [namedEvent('content_block_start', { index, content_block: block }), piece]
        : [piece, namedEvent('content_block_stop', { index })];
    }),
    namedEvent('message_delta', { delta: { stop_reason: 'tool_use' }, usage }),
    namedEvent('message_stop', {}),
  ];
}

function completionEvent(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: 'probe', object: 'chat.completion.chunk', created: 0, model: 'probe' };
  return `data: ${JSON.stringify({ ...chunk, choices })}`;
}

function namedEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}`;
}
