/**
 * The key of a thread: `team/channel/root-ts`; a child thread appends `/` and the id of the call
 * that made it. Slack ids and timestamps hold no slash, so equal keys mean equal threads.
 */
export type ThreadKey = string & { readonly __thread: true };

/** Where a thread stands in Slack; `root` is the timestamp of its first message. */
export interface ThreadPlace {
  readonly team: string;
  readonly channel: string;
  readonly root: string;
}

const PART = /^[A-Za-z0-9._-]+$/;

/** Makes the key of a Slack thread from the message's own place: its `thread_ts`, or its `ts` when it starts one. */
export function threadKey(message: {
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string | undefined;
}): ThreadKey {
  const parts = [message.team, message.channel, message.threadTs ?? message.ts];
  for (const part of parts) {
    if (!PART.test(part))
      throw new TypeError(`Not a part of a thread key: ${JSON.stringify(part)}`);
  }
  return parts.join('/') as ThreadKey;
}

const NO_ROOT = '0';

/** Makes the key of a channel itself, for what is said there outside of any thread. */
export function channelKey({ team, channel }: Pick<ThreadPlace, 'team' | 'channel'>): ThreadKey {
  return threadKey({ team, channel, ts: NO_ROOT });
}

/** Tells whether a place is a channel itself and no thread in it. */
export function isChannelItself({ root }: ThreadPlace): boolean {
  return root === NO_ROOT;
}

/** Makes the key of the child thread that a call opens. */
export function childThreadKey(parent: ThreadKey, callId: string): ThreadKey {
  return `${parent}/${callId}` as ThreadKey;
}

/** Returns where a thread, or the thread that a child thread belongs to, stands in Slack. */
export function placeOf(thread: ThreadKey): ThreadPlace {
  const [team, channel, root] = thread.split('/');
  if (!team || !channel || !root) throw new TypeError(`Not a thread key: ${thread}`);
  return { team, channel, root };
}

/** Returns the id of the call that made a child thread; undefined for a thread that people began. */
export function parentCallOf(thread: ThreadKey): string | undefined {
  return ancestorCallsOf(thread).at(-1);
}

/** Returns the ids of the calls that a child thread hangs on, the outermost first; none for a thread that people began. */
export function ancestorCallsOf(thread: ThreadKey): readonly string[] {
  return thread.split('/').slice(3);
}

/** Returns the thread in which people talk, for it and for its child threads. */
export function rootOf(thread: ThreadKey): ThreadKey {
  return thread.split('/').slice(0, 3).join('/') as ThreadKey;
}

/** How many helpers deep a thread is: 0 where people talk. */
export function depthOf(thread: ThreadKey): number {
  return ancestorCallsOf(thread).length;
}
