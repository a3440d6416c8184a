import { useEffect, useState } from 'preact/hooks';

/** Where the viewer is; kept in the address, so that reloading and the browser's back button work. */
export interface Route {
  /** Name of the member acted as. */
  readonly as: string;
  /** Channel id; absent before the first choice. */
  readonly channel?: string;
  readonly thread?: string;
  readonly tab: 'messages' | 'home';
  /** Which pane a phone shows; on a desktop `list` and `chat` are side by side. */
  readonly pane: 'list' | 'chat' | 'developer';
}

/** Reads a route from the part of an address after `#`. */
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

/** Writes a route so that `parseRoute` reads it back. */
export function encodeRoute(route: Route): string {
  const fields = new URLSearchParams({ as: route.as });
  if (route.channel !== undefined) fields.set('channel', route.channel);
  if (route.thread !== undefined) fields.set('thread', route.thread);
  if (route.tab !== 'messages') fields.set('tab', route.tab);
  if (route.pane !== 'chat') fields.set('pane', route.pane);
  return `#${fields}`;
}

/** Where a link to a message of Slack leads in the playground; undefined for any other link. */
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

/** Where to go from here: a thread belongs to its channel and closes with it. */
export type Go = (change: Partial<Omit<Route, 'thread'>> & { thread?: string | undefined }) => void;

/** The route in the address and the function that changes it; without one the page begins with that person, in that thread. */
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
