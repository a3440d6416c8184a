import { useState } from 'preact/hooks';
import type { Channel } from '../../workspace/workspace-port.ts';
import { channelTitle, usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { MessageView } from './message-view.tsx';
import { SessionState, useThreadName } from './sessions.tsx';
import { replies } from './thread-messages.ts';

/** Shows a thread: beside its channel on a desktop, instead of it on a phone. */
export function ThreadPane({ channel, threadTs }: { channel: Channel; threadTs: string }) {
  const context = usePageContext();
  const { go } = useUi();
  const [draft, setDraft] = useState('');
  const root = context.workspace.messages.find(
    (message) => message.channel === channel.id && message.ts === threadTs,
  );
  const found = replies(context.workspace, channel.id, threadTs);
  const title = channelTitle(channel, context);
  const name = useThreadName(channel.id, threadTs);
  const close = () => go({ thread: undefined });
  return (
    <section class="pane thread" aria-label="Thread">
      <header class="pane-head">
        <button type="button" class="icon phone-only" aria-label="Back to channel" onClick={close}>
          <span aria-hidden="true">‹</span>
        </button>
        <h2>
          {name} <small>{channel.kind === 'im' ? title : `#${title}`}</small>
        </h2>
        <button type="button" class="icon desktop-only" aria-label="Close thread" onClick={close}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      <MessageList
        messages={found}
        showsReplies={false}
        showsDays={false}
        label="Replies"
        before={
          <>
            {root ? (
              <MessageView message={root} isCompact={false} showsReplies={false} />
            ) : (
              <p class="muted">The first message of this thread was deleted.</p>
            )}
            {found.length > 0 && (
              <div class="day">{found.length === 1 ? '1 reply' : `${found.length} replies`}</div>
            )}
          </>
        }
        after={<SessionState channel={channel.id} threadTs={threadTs} />}
      />
      <Composer
        channel={channel.id}
        threadTs={threadTs}
        label="Reply in thread"
        draft={draft}
        onDraft={setDraft}
      />
    </section>
  );
}
