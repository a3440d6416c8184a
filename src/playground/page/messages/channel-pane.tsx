import { useEffect, useState } from 'preact/hooks';
import type { Channel } from '../../workspace/workspace-port.ts';
import { HomeTab } from '../shell/home-tab.tsx';
import { Suggestions } from '../shell/suggestions.tsx';
import { channelTitle, isAppDirectMessage, usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { promptsOf, TabPrompts } from './sessions.tsx';
import { channelMessages } from './thread-messages.ts';

/** Shows a channel or DM with its composer. The app's DM has a Home tab beside its messages. */
export function ChannelPane({ channel }: { channel: Channel }) {
  const context = usePageContext();
  const { route, go, backend, attempt } = useUi();
  const [draft, setDraft] = useState('');
  const title = channelTitle(channel, context);
  const displayTitle = channel.kind === 'im' ? title : `#${title}`;
  const isAppDm = isAppDirectMessage(channel, context);
  const isHome = isAppDm && route.tab === 'home';
  const isMessagesTab = isAppDm && !isHome;
  useEffect(() => {
    if (isMessagesTab) void attempt(backend.openMessages());
  }, [backend, isMessagesTab]);
  return (
    <main class="pane channel" aria-label={displayTitle}>
      <header class="pane-head">
        <button
          type="button"
          class="icon phone-only"
          aria-label="Back to channels"
          onClick={() => go({ pane: 'list' })}
        >
          <span aria-hidden="true">‹</span>
        </button>
        <h2>{channel.kind === 'private' ? `🔒 ${title}` : displayTitle}</h2>
        {isAppDm && <HomeTabs />}
      </header>
      {isHome ? (
        <HomeTab />
      ) : (
        <>
          <MessageList
            messages={channelMessages(context.workspace, channel.id)}
            showsReplies
            showsDays
            label={`Messages in ${displayTitle}`}
            empty={<Empty title={displayTitle} isAppDm={isAppDm} />}
          />
          {promptsOf(context.workspace, channel.id).length > 0 ? (
            <TabPrompts channel={channel.id} />
          ) : (
            <Suggestions channel={channel.id} />
          )}
          <Composer
            channel={channel.id}
            label={`Message ${displayTitle}`}
            draft={draft}
            onDraft={setDraft}
          />
        </>
      )}
    </main>
  );
}

function HomeTabs() {
  const { route, go } = useUi();
  const tab = (name: 'messages' | 'home', text: string) => (
    <button
      type="button"
      role="tab"
      aria-selected={route.tab === name}
      onClick={() => go({ tab: name })}
    >
      {text}
    </button>
  );
  return (
    <div role="tablist" class="tabs" aria-label="App">
      {tab('home', 'Home')}
      {tab('messages', 'Messages')}
    </div>
  );
}

function Empty({ title, isAppDm }: { title: string; isAppDm: boolean }) {
  const { app, suggestions } = usePageContext().start;
  const firstStep = isAppDm
    ? `Write to ${app.name} here as you would to a person`
    : `Mention @${app.name} with a task`;
  return (
    <div class="empty">
      <h3>{title}</h3>
      <p>
        {firstStep}
        {suggestions.length > 0 && ', or choose one of the suggestions below'}. Before it does
        something risky, it asks on a card in the thread. Click a button there, or change “Act as”
        at the top to see what others may do.
      </p>
      <p>
        To let a team decide, act as an admin and add a route on the Home tab of {app.name}: its
        cards go to the channel that you choose, such as #approvals.
      </p>
    </div>
  );
}
