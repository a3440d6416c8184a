import { canonicalJson } from '../../../src/domain/json/json.ts';
import { type Gate, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import type { Tool, Toolbox } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import type { Passage } from '../../support/store/faulty-store.ts';
import type { LabToolName } from '../model/plans.ts';

/** One effect of a tool. */
export interface Effect {
  readonly tool: string;
  readonly callId: string;
  readonly attempt: number;
  readonly note: string;
  readonly at: number;
}

/** The world that tools act on; it outlives every process. */
export interface ToolWorld {
  readonly effects: Effect[];
  /** The outcome of runs that start from now on. */
  mode: ToolMode;
  /** Runs that wait to be released. */
  readonly held: ((ends: 'well' | 'badly') => void)[];
}

export type ToolMode = 'well' | 'badly' | 'hold';

/** The deadline of the routes of the simulation. */
const DEADLINE_MS = 3_600_000;
export const TOOL_MS = 60_000;

const TOOLS: readonly (readonly [name: LabToolName, idempotent: boolean])[] = [
  ['pay', false],
  ['send', true],
  ['guard', false],
  ['pair', false],
  ['look', true],
];

/** The gate for the tools of the simulation, as defined in `plans.ts`. */
export const labGate: Gate = ({ tool }) => {
  const route = { ...REQUESTER_ROUTE, name: tool, deadlineMs: DEADLINE_MS };
  switch (tool) {
    case 'look':
      return { kind: 'run' };
    case 'guard':
      return {
        kind: 'ask',
        route: { ...route, approvers: ['requester', 'user:U2'], selfApproval: false },
      };
    case 'pair':
      return { kind: 'ask', route: { ...route, approvers: ['user:U2', 'user:U3'], quorum: 2 } };
    default:
      return { kind: 'ask', route };
  }
};

/** Creates the tools of one process over the shared world. */
export function createLabTools(world: ToolWorld, passage: Passage, now: () => number): Toolbox {
  const tools = TOOLS.map(([name, idempotent]) => toTool(name, idempotent, world, passage, now));
  return buildToolbox(tools);
}

function toTool(
  name: string,
  idempotent: boolean,
  world: ToolWorld,
  passage: Passage,
  now: () => number,
): Tool {
  return {
    name,
    description: name,
    schema: { type: 'object' },
    schemaHash: name,
    risk: 'medium',
    idempotent,
    secrets: [],
    parse(value) {
      if (noteOf(value) === undefined) {
        return { ok: false, problems: [{ path: ['note'], message: 'is missing' }] };
      }
      return { ok: true, value, canonical: canonicalJson(value) };
    },
    async run(args, { idempotencyKey, signal }) {
      const [callId = '', attempt] = idempotencyKey.split('.');
      const note = noteOf(args) ?? '';
      await passage.pass('tool.run', async () => {
        world.effects.push({ tool: name, callId, attempt: Number(attempt), note, at: now() });
      });
      const ends = world.mode === 'hold' ? await letGo(world, signal) : world.mode;
      await passage.pass('tool.end', async () => {});
      if (ends === 'badly') throw new Error('It went badly.');
      return `did ${note}`;
    },
  };
}

async function letGo(world: ToolWorld, signal: AbortSignal): Promise<'well' | 'badly'> {
  return await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    world.held.push(resolve);
  });
}

function noteOf(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && 'note' in value;
  return isObject && typeof value.note === 'string' ? value.note : undefined;
}
