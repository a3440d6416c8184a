import { useMemo, useState } from 'preact/hooks';
import type { WorkspaceMessage } from '../../workspace/workspace-port.ts';
import { Blocks } from '../blocks/block-view.tsx';
import { Avatar } from '../controls/avatar.tsx';
import { Menu, type MenuItem } from '../controls/menu.tsx';
import { ElementHostContext } from '../state/element-host.ts';
import { displayName, findMember, type PageContext, usePageContext } from '../state/names.ts';
import { createHost, type Ui, useUi } from '../state/ui.ts';
import { Emoji } from '../text/inline-view.tsx';
import { clockTime } from '../text/slack-date.ts';
import { Markdown, Mrkdwn } from '../text/text-view.tsx';
import { MessageEditor } from './message-editor.tsx';
import { statusOf } from './sessions.tsx';
import { dateOfTs, isReply, replies } from './thread-messages.ts';

/**
 * Shows a message with its blocks, files and reactions, and in a channel the link to its thread.
 */
export function MessageView(props: {
  message: WorkspaceMessage;
  isCompact: boolean;
  showsReplies: boolean;
}) {
  const { message } = props;
  const ui = useUi();
  const context = usePageContext();
  const [isEditing, setEditing] = useState(false);
  const host = useMemo(
    () =>
      createHost(ui, (press) =>
        ui.backend.click({ channel: message.channel, ts: message.ts, ...press }),
      ),
    [ui, message.channel, message.ts],
  );
  const author = authorOf(message, context);
  const classes = ['message', props.isCompact && 'compact', message.visibleTo && 'ephemeral'];
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      data-ts={message.ts}
      data-thread-ts={message.threadTs}
      aria-label={`${author.name}: ${clockTime(dateOfTs(message.ts))}`}
    >
      <Avatar name={author.name} isApp={author.isApp} />
      <div class="message-body">
        {message.visibleTo !== undefined && (
          <div class="ephemeral-note">
            <span aria-hidden="true">👁 </span>Only visible to you
          </div>
        )}
        <div class="byline">
          <strong>{author.name}</strong>
          {author.isApp && <span class="badge">APP</span>}
          <time dateTime={dateOfTs(message.ts).toISOString()}>
            {clockTime(dateOfTs(message.ts))}
          </time>
        </div>
        {isEditing ? (
          <MessageEditor message={message} onDone={() => setEditing(false)} />
        ) : (
          <ElementHostContext.Provider value={host}>
            <Content message={message} />
          </ElementHostContext.Provider>
        )}
        <Extras message={message} />
        {props.showsReplies && <ReplyLink message={message} />}
      </div>
      <Menu
        label="Message actions"
        buttonClass="icon message-menu"
        items={menuItems(message, ui, context, () => setEditing(true))}
      />
    </article>
  );
}

function authorOf(
  message: WorkspaceMessage,
  context: PageContext,
): { name: string; isApp: boolean } {
  const { app } = context.start;
  if (message.botId !== undefined || message.user === app.botUserId) {
    return { name: app.name, isApp: true };
  }
  const member = findMember(context.workspace, message.user);
  return { name: displayName(member, message.user ?? 'Someone'), isApp: member?.isBot ?? false };
}

function menuItems(
  message: WorkspaceMessage,
  ui: Ui,
  context: PageContext,
  onEdit: () => void,
): readonly MenuItem[] {
  const { channel, ts } = message;
  const thread: MenuItem = {
    text: 'Reply in thread',
    onChoose: () => ui.go({ thread: message.threadTs ?? ts }),
  };
  const copy: MenuItem = {
    text: 'Copy text',
    onChoose: () => void ui.attempt(navigator.clipboard.writeText(message.text)),
  };
  const items = message.visibleTo === undefined ? [thread, copy] : [copy];
  if (message.user !== context.workspace.me.id || message.visibleTo !== undefined) return items;
  return [
    ...items,
    { text: 'Edit message', onChoose: onEdit },
    {
      text: 'Delete message',
      isDanger: true,
      onChoose: () => void ui.attempt(ui.backend.remove({ channel, ts })),
    },
  ];
}

function Content({ message }: { message: WorkspaceMessage }) {
  const edited = message.user !== undefined && message.botId === undefined && message.editedTs;
  return (
    <div class="content">
      {message.blocks.length > 0 ? <Blocks blocks={message.blocks} /> : <Text message={message} />}
      {edited && <span class="edited">(edited)</span>}
      {message.streaming && (
        <span class="streaming" role="status">
          {message.text === '' ? 'working…' : 'writing…'}
        </span>
      )}
    </div>
  );
}

// Streamed text is Markdown; all other text is mrkdwn.
function Text({ message }: { message: WorkspaceMessage }) {
  return message.streaming ? <Markdown text={message.text} /> : <Mrkdwn text={message.text} />;
}

function Extras({ message }: { message: WorkspaceMessage }) {
  return (
    <>
      {message.files.map((file) => (
        <div key={file.id} class="file">
          <span aria-hidden="true">📎 </span>
          {file.name} <small>{sizeText(file.size)}</small>
        </div>
      ))}
      {message.reactions.length > 0 && (
        <div class="reactions">
          {message.reactions.map((reaction) => (
            <span key={reaction.name} class="reaction">
              <Emoji name={reaction.name} /> {reaction.users.length}
            </span>
          ))}
        </div>
      )}
    </>
  );
}

/** Formats a file size. */
export function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} kB`;
}

function ReplyLink({ message }: { message: WorkspaceMessage }) {
  const { go } = useUi();
  const context = usePageContext();
  const found = replies(context.workspace, message.channel, message.ts);
  const status = statusOf(context.workspace, message.channel, message.ts);
  if (isReply(message) || (found.length === 0 && status === undefined)) return null;
  const count = found.length === 1 ? '1 reply' : `${found.length} replies`;
  const last = found.at(-1);
  const faces = [...new Map(found.map((reply) => [authorOf(reply, context).name, reply])).values()];
  return (
    <button type="button" class="reply-link" onClick={() => go({ thread: message.ts })}>
      {faces.slice(0, 3).map((reply) => {
        const author = authorOf(reply, context);
        return <Avatar key={author.name} name={author.name} isApp={author.isApp} size="small" />;
      })}
      {found.length > 0 && <strong>{count}</strong>}
      {status !== undefined && (
        <span class="muted">
          {context.start.app.name} {status}
        </span>
      )}
      {status === undefined && last && (
        <span class="muted">Last reply {clockTime(dateOfTs(last.ts))}</span>
      )}
    </button>
  );
}
