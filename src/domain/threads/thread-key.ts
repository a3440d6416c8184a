/**
 * Key of a thread: `team/channel/root-ts`. A child thread appends `/` and the id of the call that
 * created it. Slack ids and timestamps contain no slash, so equal keys mean equal threads.
 */
export type ThreadKey = string & { readonly __thread: true };

/** A thread's location in Slack. `root` is the timestamp of its first message. */
export interface ThreadPlace {
  readonly team: string;
  readonly channel: string;
  readonly root: string;
}

const PART = /^[A-Za-z0-9._-]+$/;

/** Returns the key of a message's thread: its `thread_ts`, or its `ts` if it starts one. */
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

/** Returns the key of a channel itself, for messages outside any thread. */
export function channelKey({ team, channel }: Pick<ThreadPlace, 'team' | 'channel'>): ThreadKey {
  return threadKey({ team, channel, ts: NO_ROOT });
}

/** Returns whether a place is a channel itself, not a thread. */
export function isChannelItself({ root }: ThreadPlace): boolean {
  return root === NO_ROOT;
}

/** Returns the key of the child thread of a call. */
export function childThreadKey(parent: ThreadKey, callId: string): ThreadKey {
  return `${parent}/${callId}` as ThreadKey;
}

/** Returns the Slack location of a thread; for a child thread, that of its root thread. */
export function placeOf(thread: ThreadKey): ThreadPlace {
  const [team, channel, root] = thread.split('/');
  if (!team || !channel || !root) throw new TypeError(`Not a thread key: ${thread}`);
  return { team, channel, root };
}

/** Returns the id of the call that created a child thread; undefined for a root thread. */
export function parentCallOf(thread: ThreadKey): string | undefined {
  return ancestorCallsOf(thread).at(-1);
}

/** Returns the ids of the calls above a child thread, outermost first; none for a root thread. */
export function ancestorCallsOf(thread: ThreadKey): readonly string[] {
  return thread.split('/').slice(3);
}

/** Returns the root thread, in which people talk. */
export function rootOf(thread: ThreadKey): ThreadKey {
  return thread.split('/').slice(0, 3).join('/') as ThreadKey;
}

/** Returns the nesting depth of helpers: 0 for a root thread. */
export function depthOf(thread: ThreadKey): number {
  return ancestorCallsOf(thread).length;
}
