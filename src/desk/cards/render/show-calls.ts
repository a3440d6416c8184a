import type { Call } from '../../../domain/calls/call.ts';
import { callTitlePart } from '../../../domain/cards/call-name.ts';
import type { CardCalls } from '../../../domain/cards/shared-card.ts';
import { deliverOutboxKey } from '../../../domain/ports/agenda.ts';
import type { ShownCall } from '../../../domain/ports/chat.ts';
import type { ApproverAvailability } from '../../../domain/rules/approver-availability.ts';
import { sentence } from '../../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../../domain/threads/outbox-message.ts';
import type { DeskDeps } from '../../deps.ts';
import { checkApprovers } from '../../people/check-approvers.ts';
import { redrawLater } from './redraw-later.ts';

/** When to redraw a card whose approvers are unknown, or that nobody can approve. */
const REDRAW_MS = { unclear: 60_000, gap: 300_000 } as const;

/** The calls of a card with what is shown of them now. The first one leads. */
export type ShownCalls = readonly [ShownCall, ...ShownCall[]];

/** Builds the step that reads progress and approvers of a card's calls. */
export function createShowCalls(deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'directory'>) {
  const { store, log } = deps;

  /** A failed lookup must not keep the card from being drawn. */
  async function availabilityOf(call: Call, lead: Call): Promise<ApproverAvailability | undefined> {
    if (call.status !== 'pending') return undefined;
    try {
      return await checkApprovers(deps, call);
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Could not look up who may approve.');
      await redrawLater(deps, lead, REDRAW_MS.unclear);
      return undefined;
    }
  }

  return async function showCalls(calls: CardCalls): Promise<ShownCalls> {
    const [lead, ...more] = calls;
    const toShown = async (call: Call): Promise<ShownCall> => {
      const progress = call.status === 'running' ? await store.reports.of(call.id) : undefined;
      return { call, availability: await availabilityOf(call, lead), progress };
    };
    return [await toShown(lead), ...(await Promise.all(more.map(toShown)))];
  };
}

/**
 * Tells the requester, once per attempt, that nobody can approve a call. The card shows it until it
 * is fixed.
 */
export async function notifyApproverGap(
  deps: Pick<DeskDeps, 'store' | 'clock'>,
  shown: ShownCalls,
): Promise<void> {
  const found = shown.find(({ availability }) => availability?.gap !== undefined);
  const gap = found?.availability?.gap;
  if (!found || gap === undefined) return;
  const { call } = found;
  const now = deps.clock.now();
  const notice: OutboxMessage = {
    id: `gap:${call.id}.${call.attempt}`,
    thread: call.thread,
    kind: 'private',
    to: call.requester,
    ...toOutboxWords(sentence`${callTitlePart(call)}: ${gap}`),
    createdAt: now,
  };
  await deps.store.outbox.add([notice], [{ key: deliverOutboxKey(call.thread), dueAt: now }]);
  await redrawLater(deps, shown[0].call, REDRAW_MS.gap);
}
