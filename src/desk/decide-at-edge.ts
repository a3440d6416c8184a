/** Decisions as they come from the edge: a pause holds what would run. */
import type { Call } from '../domain/call.ts';
import type {
  DecisionCommand,
  DecisionLook,
  DecisionOutcome,
  SettleCommand,
} from '../domain/decision.ts';
import type { Pause } from '../domain/pause.ts';
import type { DecisionKind } from '../domain/route.ts';
import { sentence } from '../domain/sentence.ts';
import type { Authorize } from './authorize.ts';
import type { createDecide } from './decide.ts';
import type { DeskDeps } from './deps.ts';
import { sayPause } from './pause-words.ts';

type Open = { readonly kind: 'open'; readonly call: Call };

/** What a pause does not hold: nothing runs of these. */
const WORKS_IN_PAUSE: ReadonlySet<DecisionKind> = new Set(['reply', 'ignore']);

/** Builds the decisions of people at the edge. */
export function createDecideAtEdge(
  { store }: Pick<DeskDeps, 'store'>,
  inner: ReturnType<typeof createDecide>,
  authorize: Authorize,
) {
  function refuseInPause(call: Call, pause: Pause | undefined): DecisionOutcome | undefined {
    if (!pause) return undefined;
    const why = sentence`${sayPause(pause)} Reply and Ignore work; the rest does when an admin resumes.`;
    return { kind: 'not-allowed', call, why };
  }

  async function holdRerun({ callId, by }: SettleCommand): Promise<DecisionOutcome | undefined> {
    const call = await store.ledger.get(callId);
    if (call?.status !== 'unknown') return undefined;
    const held = refuseInPause(call, await store.pause.read());
    if (!held) return undefined;
    const { permission } = await authorize(call, by, 'approve');
    return permission.kind === 'allowed' ? held : undefined;
  }

  async function look(command: DecisionLook): Promise<DecisionOutcome | Open> {
    const [seen, pause] = await Promise.all([inner.look(command), store.pause.read()]);
    if (seen.kind !== 'open' || command.settles || WORKS_IN_PAUSE.has(command.kind)) return seen;
    return refuseInPause(seen.call, pause) ?? seen;
  }

  return {
    look,

    async decide(command: DecisionCommand): Promise<DecisionOutcome> {
      const seen = await look({ ...command, kind: command.decision.kind });
      return seen.kind === 'open' ? await inner.decide(command, { seen: seen.call }) : seen;
    },

    async settle(command: SettleCommand): Promise<DecisionOutcome> {
      const held = command.finding === 'rerun' ? await holdRerun(command) : undefined;
      return held ?? (await inner.settle(command));
    },
  };
}
