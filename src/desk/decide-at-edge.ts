/** Decisions as they come from the edge: a person's standing and the pause are asked before the call's own route. */
import type { Call } from '../domain/call.ts';
import type {
  DecisionCommand,
  DecisionLook,
  DecisionOutcome,
  SettleCommand,
} from '../domain/decision.ts';
import type { Pause } from '../domain/pause.ts';
import type { DecisionKind } from '../domain/route.ts';
import { refuseStanding } from '../domain/talk.ts';
import type { createDecide } from './decide.ts';
import type { DeskDeps } from './deps.ts';
import { actorOf } from './effects.ts';
import { sayPause } from './pause-words.ts';

type Open = { readonly kind: 'open'; readonly call: Call };

/** What a pause does not hold: nothing runs of these. */
const WORKS_IN_PAUSE: ReadonlySet<DecisionKind> = new Set(['reply', 'ignore']);

/** Builds the decisions of people at the edge; who can't be told, or is no member, changes nothing. */
export function createDecideAtEdge(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'directory' | 'log'>,
  inner: ReturnType<typeof createDecide>,
) {
  const { store, clock, directory, log } = deps;

  async function whyNobody(by: DecisionLook['by']): Promise<string | undefined> {
    try {
      return refuseStanding(await directory.profileOf(by))?.sentence;
    } catch (error) {
      log.warn({ err: error, person: by }, 'Nobody could tell who a person is.');
      return 'Slack does not tell me who you are right now. Please press again.';
    }
  }

  async function refuseNobody({
    callId,
    by,
  }: Pick<DecisionLook, 'callId' | 'by'>): Promise<DecisionOutcome | undefined> {
    const why = await whyNobody(by);
    if (why === undefined) return undefined;
    const call = await store.ledger.get(callId);
    if (!call) return { kind: 'not-found' };
    const audit = { at: clock.now(), event: 'decision.not-allowed', subject: callId };
    await store.audit.append([{ ...audit, actor: actorOf(by), detail: { why } }]);
    return { kind: 'not-allowed', call, why };
  }

  function refuseInPause(call: Call, pause: Pause | undefined): DecisionOutcome | undefined {
    if (!pause) return undefined;
    const why = `${sayPause(pause)} Reply and Ignore work; the rest does when an admin resumes.`;
    return { kind: 'not-allowed', call, why };
  }

  async function look(command: DecisionLook): Promise<DecisionOutcome | Open> {
    const refused = await refuseNobody(command);
    if (refused) return refused;
    const [seen, pause] = await Promise.all([inner.look(command), store.pause.read()]);
    if (seen.kind !== 'open' || WORKS_IN_PAUSE.has(command.kind)) return seen;
    return refuseInPause(seen.call, pause) ?? seen;
  }

  return {
    look,

    async decide(command: DecisionCommand): Promise<DecisionOutcome> {
      const seen = await look({ ...command, kind: command.decision.kind });
      return seen.kind === 'open' ? await inner.decide(command, { seen: seen.call }) : seen;
    },

    async settle(command: SettleCommand): Promise<DecisionOutcome> {
      const refused = await refuseNobody(command);
      if (refused) return refused;
      const call = command.finding === 'rerun' ? await store.ledger.get(command.callId) : undefined;
      const isHeld = call?.status === 'unknown';
      const held = isHeld ? refuseInPause(call, await store.pause.read()) : undefined;
      return held ?? (await inner.settle(command));
    },
  };
}
