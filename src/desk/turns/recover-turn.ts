/**
 * The agent's state is a cache of the turn. If it is lost, the turn is rebuilt from its records and
 * calls.
 */
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { GraphState } from '../../domain/ports/agent.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { TurnRecord } from '../../domain/threads/turn-record.ts';
import type { DeskDeps } from '../deps.ts';
import { isWholeTurn, type KnownTurn, toRecordedTurn } from './turn-records.ts';

/** A turn that one worker is processing. */
export interface ActiveTurn extends KnownTurn {
  /** Grows as records are written. */
  readonly records: TurnRecord[];
  /** The agent's stored state. */
  readonly stored: GraphState;
}

export interface RecoverTurn {
  /** Reads everything stored about the message's turn. */
  read(message: InboxMessage, fence: ThreadFence): Promise<ActiveTurn>;
  /** Returns the agent's state, rebuilt if it was lost; undefined if it can't be rebuilt. */
  recover(
    message: InboxMessage,
    turn: ActiveTurn,
    fence: ThreadFence,
    signal: AbortSignal,
  ): Promise<GraphState | undefined>;
}

const NEWER =
  'A newer version recorded the turn of this thread. Start that version to continue it.';

/** Builds the recovery of turns whose state is lost, incomplete or damaged. */
export function createRecoverTurn({
  store,
  agent,
  log,
}: Pick<DeskDeps, 'store' | 'agent' | 'log'>): RecoverTurn {
  return {
    async read(message, fence) {
      const { thread } = fence;
      const [stored, records, calls] = await Promise.all([
        agent.read(thread, fence),
        store.turnRecords.ofTurn(thread, message.id),
        store.ledger.ofThread(thread, message.id),
      ]);
      if (records.some(({ v }) => v !== 1)) throw new Error(NEWER);
      return { stored, records: [...records], calls };
    },

    async recover(message, turn, fence, signal) {
      if (isWholeTurn(turn.stored, message.id, turn)) return turn.stored;
      const facts = { turn: message.id, phase: turn.stored.phase, calls: turn.calls.length };
      const recorded = agent.rebuild && toRecordedTurn(message, turn);
      if (!agent.rebuild || !recorded) {
        log.error(
          facts,
          'The stored state of a turn is lost and can’t be rebuilt. Ending the turn.',
        );
        return undefined;
      }
      log.warn(facts, 'The stored state of a turn is lost. Rebuilding it from its records.');
      const state = await agent.rebuild(recorded, fence, signal);
      if (isWholeTurn(state, message.id, turn)) return state;
      throw new Error('A rebuilt turn differs from its records.');
    },
  };
}
