import type { Channel } from '../../workspace/workspace-port.ts';
import { Avatar } from '../controls/avatar.tsx';
import { channelTitle, isAppDirectMessage, usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';

/** Shows the channels and direct messages of the current person. */
export function Sidebar(props: { current: Channel | undefined; unread: ReadonlySet<string> }) {
  const context = usePageContext();
  const { backend, attempt, go } = useUi();
  const channels = context.workspace.channels.filter(({ kind }) => kind !== 'im');
  const people = context.workspace.channels.filter(
    (channel) => channel.kind === 'im' && !isAppDirectMessage(channel, context),
  );
  const appDm = context.workspace.channels.find((channel) => isAppDirectMessage(channel, context));
  const openApp = async () => {
    const channel = appDm ?? (await attempt(backend.directMessage()));
    if (channel !== undefined) go({ channel: channel.id, tab: 'messages', pane: 'chat' });
  };
  const note = context.start.people.find(({ name }) => name === context.workspace.me.name)?.note;
  const entry = (channel: Channel) => (
    <Entry
      key={channel.id}
      text={channelTitle(channel, context)}
      sign={channel.kind === 'private' ? '🔒' : '#'}
      isCurrent={channel.id === props.current?.id}
      isUnread={props.unread.has(channel.id)}
      onChoose={() => go({ channel: channel.id, tab: 'messages', pane: 'chat' })}
    />
  );
  return (
    <nav class="sidebar" aria-label="Channels">
      <div class="team">{context.start.team.name}</div>
      {note !== undefined && (
        <p class="acting">
          You act as <strong>{context.workspace.me.name}</strong>
          <br />
          {note}
        </p>
      )}
      <h2>Channels</h2>
      {channels.map(entry)}
      <h2>Direct messages</h2>
      {people.map(entry)}
      <Entry
        text={context.start.app.name}
        avatar={context.start.app.name}
        isCurrent={appDm !== undefined && appDm.id === props.current?.id}
        isUnread={appDm !== undefined && props.unread.has(appDm.id)}
        onChoose={() => void openApp()}
      />
    </nav>
  );
}

function Entry(props: {
  text: string;
  sign?: string;
  avatar?: string;
  isCurrent: boolean;
  isUnread: boolean;
  onChoose(): void;
}) {
  return (
    <button
      type="button"
      class={props.isUnread ? 'entry unread' : 'entry'}
      aria-current={props.isCurrent ? 'page' : undefined}
      onClick={props.onChoose}
    >
      {props.avatar !== undefined && <Avatar name={props.avatar} isApp size="small" />}
      {props.sign !== undefined && (
        <span class="sign" aria-hidden="true">
          {props.sign}
        </span>
      )}
      <span class="entry-text">{props.text}</span>
      {props.isUnread && <span class="dot" role="img" aria-label="new messages" />}
    </button>
  );
}
