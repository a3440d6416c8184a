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

/** Shows a channel or DM with its composer; the app's DM has the App Home beside its messages. */
export function ChannelPane({ channel }: { channel: Channel }) {
  const scene = usePageContext();
  const { route, go, backend, attempt } = useUi();
  const [draft, setDraft] = useState('');
  const title = channelTitle(channel, scene);
  const shown = channel.kind === 'im' ? title : `#${title}`;
  const isAppDm = isAppDirectMessage(channel, scene);
  const isHome = isAppDm && route.tab === 'home';
  const isMessagesTab = isAppDm && !isHome;
  useEffect(() => {
    if (isMessagesTab) void attempt(backend.openMessages());
  }, [backend, isMessagesTab]);
  return (
    <main class="pane channel" aria-label={shown}>
      <header class="pane-head">
        <button
          type="button"
          class="icon phone-only"
          aria-label="Back to channels"
          onClick={() => go({ pane: 'list' })}
        >
          <span aria-hidden="true">‹</span>
        </button>
        <h2>{channel.kind === 'private' ? `🔒 ${title}` : shown}</h2>
        {isAppDm && <HomeTabs />}
      </header>
      {isHome ? (
        <HomeTab />
      ) : (
        <>
          <MessageList
            messages={channelMessages(scene.sight, channel.id)}
            showsReplies
            showsDays
            label={`Messages in ${shown}`}
            empty={<Empty shown={shown} isAppDm={isAppDm} />}
          />
          {promptsOf(scene.sight, channel.id).length > 0 ? (
            <TabPrompts channel={channel.id} />
          ) : (
            <Suggestions channel={channel.id} />
          )}
          <Composer
            channel={channel.id}
            label={`Message ${shown}`}
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

function Empty({ shown, isAppDm }: { shown: string; isAppDm: boolean }) {
  const { app, suggestions } = usePageContext().start;
  const begin = isAppDm
    ? `Write to ${app.name} here as you would to a person`
    : `Mention @${app.name} with a task`;
  return (
    <div class="empty">
      <h3>{shown}</h3>
      <p>
        {begin}
        {suggestions.length > 0 && ', or choose one of the suggestions below'}. When it wants to do
        something risky it asks on a card in the thread: press a button there, and change “Act as”
        at the top to see what other people may do.
      </p>
      <p>
        To let a team decide, act as an admin and add a route on the Home tab of {app.name}: its
        cards go to the channel that you choose, as #approvals.
      </p>
    </div>
  );
}
