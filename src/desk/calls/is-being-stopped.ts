import type { Call } from '../../domain/calls/call.ts';
import type { Store } from '../../domain/ports/store.ts';

/** True if a person has stopped the turn of this call and it has not ended yet. */
export async function isBeingStopped(
  { inbox }: Pick<Store, 'inbox'>,
  call: Call,
): Promise<boolean> {
  const current = await inbox.current(call.thread);
  return current?.id === call.turn && current.stopped !== undefined;
}
