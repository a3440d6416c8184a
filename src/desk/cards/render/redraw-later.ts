import type { Call } from '../../../domain/calls/call.ts';
import { renderCardKey, renderStubKey } from '../../../domain/ports/agenda.ts';
import type { DeskDeps } from '../../deps.ts';

/** Schedules another drawing of a call's card. */
export async function redrawLater(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  call: Call,
  inMs: number,
): Promise<void> {
  await store.agenda.wake([{ key: renderCardKey(call), dueAt: clock.now() + inMs }]);
}

/** Schedules a drawing of the link to a card in the call's thread. */
export async function redrawStub(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  call: Call,
): Promise<void> {
  await store.agenda.wake([{ key: renderStubKey(call), dueAt: clock.now() }]);
}
