import { isChannelItself, placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';

/** Returns where what belongs to a thread is shown; without a `root` at the top of the channel, where the key is of a channel itself. */
export function threadLocationOf(thread: ThreadKey): {
  readonly channel: string;
  readonly root?: string;
} {
  const place = placeOf(thread);
  const { channel, root } = place;
  return isChannelItself(place) ? { channel } : { channel, root };
}
