import { useEffect, useState } from 'preact/hooks';

/** The viewer's location, kept in the URL, so that reloading and the back button work. */
export interface Route {
  /** The name of the current person. */
  readonly as: string;
  /** The channel id. Absent until one is chosen. */
  readonly channel?: string;
  readonly thread?: string;
  readonly tab: 'messages' | 'home';
  /** The pane shown on a phone. On a desktop `list` and `chat` are side by side. */
  readonly pane: 'list' | 'chat' | 'developer';
}

/** Parses a route from the URL fragment. */
export function parseRoute(hash: string, defaultAs: string): Route {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const channel = fields.get('channel');
  const thread = fields.get('thread');
  const pane = fields.get('pane');
  return {
    as: fields.get('as') ?? defaultAs,
    ...(channel ? { channel } : {}),
    ...(thread ? { thread } : {}),
    tab: fields.get('tab') === 'home' ? 'home' : 'messages',
    pane: pane === 'list' || pane === 'developer' ? pane : 'chat',
  };
}

/** Encodes a route for `parseRoute`. */
export function encodeRoute(route: Route): string {
  const fields = new URLSearchParams({ as: route.as });
  if (route.channel !== undefined) fields.set('channel', route.channel);
  if (route.thread !== undefined) fields.set('thread', route.thread);
  if (route.tab !== 'messages') fields.set('tab', route.tab);
  if (route.pane !== 'chat') fields.set('pane', route.pane);
  return `#${fields}`;
}

/** Returns the playground location of a Slack message link. Undefined for any other link. */
export function parseMessageLink(url: string): { channel: string; thread: string } | undefined {
  const found =
    /^https:\/\/(?:[\w-]+\.)?slack\.com\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?.*)?$/.exec(
      url,
    );
  const [, channel, seconds, rest] = found ?? [];
  if (channel === undefined) return undefined;
  const root = new URL(url).searchParams.get('thread_ts');
  return { channel, thread: root ?? `${seconds}.${rest}` };
}

/** Changes the route. Changing the channel closes the thread. */
export type Go = (change: Partial<Omit<Route, 'thread'>> & { thread?: string | undefined }) => void;

/**
 * Returns the route in the URL and a function that changes it. Without a route it starts as
 * `defaultAs`, in the thread `opens`.
 */
export function useRoute(
  defaultAs: string,
  opens: { readonly channel: string; readonly thread: string } | undefined,
): readonly [Route, Go] {
  const read = () => {
    const isNew = location.hash.replace(/^#/, '') === '';
    return { ...parseRoute(location.hash, defaultAs), ...(isNew && opens) };
  };
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const onHash = () => setRoute(read());
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, [defaultAs]);
  const go: Go = (change) => {
    const { thread, ...rest } = route;
    const next = 'thread' in change || 'channel' in change ? change.thread : thread;
    const { thread: _, ...others } = change;
    location.hash = encodeRoute({
      ...rest,
      ...others,
      ...(next === undefined ? {} : { thread: next }),
    });
  };
  return [route, go];
}
