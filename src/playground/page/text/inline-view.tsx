import { displayName, findMember, usePageContext } from '../state/names.ts';
import { encodeRoute, parseMessageLink } from '../state/route.ts';
import { useUi } from '../state/ui.ts';
import { emojiCharacter } from './emoji.ts';
import type { Inline } from './inline.ts';
import { formatSlackDate } from './slack-date.ts';

/** Returns the URL if it is safe to follow. Undefined for schemes that could run code. */
export function followableUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url) ? url : undefined;
}

/** Shows formatted text. */
export function Inlines({ nodes }: { nodes: readonly Inline[] }) {
  return (
    <>
      {nodes.map((node, index) => (
        <InlineNode key={index} node={node} />
      ))}
    </>
  );
}

function InlineNode({ node }: { node: Inline }) {
  switch (node.kind) {
    case 'text':
      return <>{node.text}</>;
    case 'strong':
      return (
        <strong>
          <Inlines nodes={node.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines nodes={node.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines nodes={node.children} />
        </s>
      );
    case 'code':
      return <code>{node.text}</code>;
    case 'link':
      return (
        <Link url={node.url}>
          <Inlines nodes={node.children} />
        </Link>
      );
    case 'emoji':
      return <Emoji name={node.name} />;
    case 'date':
      return <SlackDate node={node} />;
    case 'user':
    case 'channel':
    case 'group':
      return <Mention kind={node.kind} id={node.id} label={node.label} />;
    case 'broadcast':
      return <span class="mention me">@{node.range}</span>;
  }
}

/** Shows an emoji by its Slack name. Unknown names stay as `:name:`. */
export function Emoji({ name }: { name: string }) {
  const character = emojiCharacter(name);
  if (character === undefined) return <>{`:${name}:`}</>;
  return (
    <span role="img" aria-label={name.replaceAll('_', ' ')}>
      {character}
    </span>
  );
}

/** Shows a link. Links to Slack messages open in the playground. */
export function Link(props: { url: string; children: preact.ComponentChildren }) {
  const { route } = useUi();
  const place = parseMessageLink(props.url);
  if (place === undefined) return <ExternalLink {...props} />;
  return (
    <a href={encodeRoute({ as: route.as, tab: 'messages', pane: 'chat', ...place })}>
      {props.children}
    </a>
  );
}

/** Shows a link that opens in a new tab, or only its text if following it is unsafe. */
export function ExternalLink(props: { url: string; children: preact.ComponentChildren }) {
  const href = followableUrl(props.url);
  if (href === undefined) return <span title={props.url}>{props.children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {props.children}
    </a>
  );
}

function SlackDate({ node }: { node: Extract<Inline, { kind: 'date' }> }) {
  const shown = formatSlackDate(node.timestamp, node.format, new Date());
  const time = (
    <time dateTime={new Date(node.timestamp * 1000).toISOString()} title={node.fallback}>
      {shown}
    </time>
  );
  return node.url === undefined ? time : <ExternalLink url={node.url}>{time}</ExternalLink>;
}

/** Shows the mention of a person, channel or group, by name if the viewer knows it. */
export function Mention(props: {
  kind: 'user' | 'channel' | 'group';
  id: string;
  label?: string | undefined;
}) {
  const { workspace, start } = usePageContext();
  if (props.kind === 'channel') {
    const channel = workspace.channels.find(({ id }) => id === props.id);
    return <span class="mention">#{channel?.name ?? props.label ?? 'private channel'}</span>;
  }
  if (props.kind === 'group') {
    const group = workspace.groups.find(({ id }) => id === props.id);
    const isMine = group?.members.includes(workspace.me.id) === true;
    const label = group === undefined ? props.label : `@${group.handle}`;
    return <span class={isMine ? 'mention me' : 'mention'}>{label ?? `@${props.id}`}</span>;
  }
  const isApp = props.id === start.app.botUserId;
  const name = isApp
    ? start.app.name
    : displayName(findMember(workspace, props.id), props.label ?? props.id);
  return <span class={props.id === workspace.me.id ? 'mention me' : 'mention'}>@{name}</span>;
}
