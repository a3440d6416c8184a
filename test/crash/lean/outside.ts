/** The outside world as the worker sees it: the tools and the chat, whose other ends are in the process of the harness. */
import { z } from 'zod';
import { defineTool } from '../../../src/agent/tools/define-tool.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import type { Chat } from '../../../src/domain/ports/chat.ts';
import { createSecretMark } from '../../../src/domain/secrets/secret-mark.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import { placeOf } from '../../../src/domain/threads/thread-key.ts';
import type { Tool, Toolbox } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import type { ShownButton } from '../record.ts';
import type { KillSwitch } from './kill-switch.ts';
import { RUN_TOOLS, type RunTool } from './policy.ts';
import type { CardDrawing, OutsideRequest } from './protocol.ts';

/** Sends a request to the outside world, which responds when it is done. */
export type Ask = (request: OutsideRequest) => Promise<string>;

/** Creates the tools of the runs: each sends requests to the tool server. */
export function createRunTools(ask: Ask, kill: KillSwitch): Toolbox {
  const tools = Object.entries(RUN_TOOLS).map(([name, facts]) => makeTool(name, facts, ask, kill));
  return buildToolbox(tools);
}

function makeTool(name: string, { idempotent }: RunTool, ask: Ask, kill: KillSwitch): Tool {
  const schema = z.object({ mark: z.string(), text: z.string() });
  const made = defineTool({
    name,
    description: 'Asks the tool server.',
    idempotent,
    schema,
    async run(args, { idempotencyKey: key }) {
      await kill.hang('before the tool');
      const request = { to: 'tool', key, tool: name, args: canonicalJson(args) } as const;
      const said = await ask({ ...request, dies: timeToDie() });
      kill.pass('after the tool');
      return said;
    },
  });
  if (made.kind !== 'tool') throw new Error(`${name}: ${made.reason}`);
  return made.tool;

  function timeToDie(): 'early' | 'late' | undefined {
    if (kill.isTime('amid the tool, not yet done')) return 'early';
    return kill.isTime('amid the tool, done') ? 'late' : undefined;
  }
}

/** Creates the chat of the runs: real cards, in a simulated Slack. */
export function createRunChat(ask: Ask, kill: KillSwitch, toolbox: Toolbox): Chat {
  const mark = createSecretMark(new Uint8Array(32));

  async function show(
    what: string,
    event: Extract<OutsideRequest, { to: 'slack' }>['event'],
    lookFirst: boolean,
  ): Promise<string> {
    await kill.hang(`before ${what}`);
    const dies = kill.isTime(`amid ${what}`) ? 'late' : undefined;
    const ts = await ask({ to: 'slack', event, lookFirst, dies });
    kill.pass(`after ${what}`);
    return ts;
  }

  /** What a person sees of a call: on its card, or opened from a shared card. */
  function draw(call: Call): CardDrawing {
    const tool = toolbox.get(call.tool);
    const { text, blocks } = buildCallCard(call, { mark, ...(tool && { tool }) });
    return {
      op: 'card',
      callId: call.id,
      tool: call.tool,
      attempt: call.attempt,
      digest: shortDigest(call.digest),
      args: call.args,
      text: [text, ...textsIn(blocks)].join('\n'),
      buttons: buttonsIn(blocks),
    };
  }

  return {
    async drawCard(call, place, { lookFirst, shared = [{ call }] }) {
      const what = place ? 'update of a card' : 'post of a card';
      const cards = shared.map((each) => draw(each.call));
      const ts = await show(what, { op: 'cards', cards, ts: place?.ts }, lookFirst);
      return { channel: placeOf(call.thread).channel, ts };
    },
    // No route of these runs names a channel.
    drawStub: async () => {
      throw new Error('There is no stub in these runs.');
    },
    closeCard: async () => {
      throw new Error('No card of these runs goes on to another channel.');
    },
    drawDigest: async ({ channel, id, place }) => place ?? { channel, ts: id },
    async postOutboxMessage(say: OutboxMessage, { lookFirst, live }) {
      const { id: sayId, kind, thread, text } = say;
      await show('saying', { op: 'say', sayId, kind, thread, text, ts: live?.ts }, lookFirst);
    },
    async clearLive(_thread, { ts }) {
      await show('clearing', { op: 'clear', ts }, false);
    },
    // Turns end before a message would stream: that takes a second.
    openLiveMessage: () => ({ place: () => undefined, draw: async () => 'drawn' }),
    setStatus: async () => 'session',
  };
}

function textsIn(value: unknown): readonly string[] {
  return find(value, 'text').filter((found) => typeof found === 'string');
}

function buttonsIn(value: unknown): readonly ShownButton[] {
  if (typeof value !== 'object' || value === null) return [];
  const { action_id: action, value: token } = value as { action_id?: string; value?: string };
  if (action !== undefined) return [{ action, value: token ?? '' }];
  return Object.values(value).flatMap(buttonsIn);
}

function find(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : find(inner, key),
  );
}
