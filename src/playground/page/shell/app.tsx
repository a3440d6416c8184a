import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Channel, WorkspaceView } from '../../workspace/workspace-port.ts';
import { useConfirmations } from '../controls/confirmations.tsx';
import { Toasts, useToasts, useWorkspaceToasts } from '../controls/toasts.tsx';
import { DeveloperPanel } from '../developer/developer-panel.tsx';
import { ChannelPane } from '../messages/channel-pane.tsx';
import { ThreadPane } from '../messages/thread-pane.tsx';
import { useUnread } from '../messages/use-unread.ts';
import { createBackend } from '../state/backend.ts';
import { PageContextProvider, usePageContext } from '../state/names.ts';
import type { PageStart } from '../state/page-start.ts';
import { useRoute } from '../state/route.ts';
import { type Ui, UiContext, useUi } from '../state/ui.ts';
import { useLiveWorkspaceView } from '../state/use-view.ts';
import { Modal } from './modal.tsx';
import { Sidebar } from './sidebar.tsx';
import { ScriptedNote, TopBar } from './top-bar.tsx';

/** The minimum width at which the developer panel starts open. */
const WIDE_PX = 1500;
/** The minimum width at which a thread is shown beside its channel. */
const DESKTOP_PX = 768;
const isWide = () => window.innerWidth >= DESKTOP_PX;

export function App({ start }: { start: PageStart }) {
  const [route, go] = useRoute(start.people[0]?.name ?? '', isWide() ? start.opens : undefined);
  const { toasts, notify, dismiss } = useToasts();
  const { confirm, view: confirmation } = useConfirmations();
  const backend = useMemo(() => createBackend(route.as), [route.as]);
  const ui: Ui = useMemo(
    () => ({
      backend,
      route,
      go,
      confirm,
      notify,
      attempt: (work) =>
        work.catch((error: unknown) => {
          notify(messageOf(error));
          return undefined;
        }),
    }),
    [backend, route],
  );
  return (
    <UiContext.Provider value={ui}>
      <Page start={start} />
      {confirmation}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </UiContext.Provider>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function Page({ start }: { start: PageStart }) {
  const { backend, route, notify } = useUi();
  const onError = useCallback((error: unknown) => notify(messageOf(error)), [notify]);
  const { workspace, revision, isConnected } = useLiveWorkspaceView(backend, onError);
  const [isWideDeveloper, setWideDeveloper] = useState(window.innerWidth >= WIDE_PX);
  useWorkspaceToasts(workspace, notify);
  const channel = workspace && currentChannel(workspace, route.channel);
  const unread = useUnread(workspace, route.pane === 'chat' ? channel?.id : undefined);
  const thread = channel && route.tab === 'messages' ? route.thread : undefined;
  const topModal = workspace?.views.at(-1);
  return (
    <div
      class="page"
      data-pane={route.pane}
      data-thread={thread === undefined ? undefined : 'open'}
      data-developer={isWideDeveloper ? 'open' : undefined}
    >
      <TopBar
        start={start}
        isDeveloperOpen={isWideDeveloper}
        onToggleDeveloper={() => setWideDeveloper(!isWideDeveloper)}
      />
      {start.scriptedModel && <ScriptedNote />}
      {!isConnected && (
        <p class="offline" role="alert">
          The playground is not responding. This page reconnects by itself.
        </p>
      )}
      {workspace && (
        <PageContextProvider.Provider value={{ workspace, start }}>
          <div class="panes">
            <Sidebar current={channel} unread={unread} />
            <Conversation channel={channel} thread={thread} />
            {(isWideDeveloper || route.pane === 'developer') && (
              <DeveloperPanel revision={revision} />
            )}
          </div>
          {topModal && <Modal key={topModal.id} open={topModal} />}
        </PageContextProvider.Provider>
      )}
      <PhoneTabs />
    </div>
  );
}

function Conversation(props: { channel: Channel | undefined; thread: string | undefined }) {
  const { workspace } = usePageContext();
  const { channel, thread } = props;
  if (channel === undefined) return <p class="empty">{workspace.me.name} is in no channel.</p>;
  return (
    <>
      <ChannelPane key={`${workspace.me.id} ${channel.id}`} channel={channel} />
      {thread !== undefined && (
        <ThreadPane
          key={`${workspace.me.id} ${channel.id} ${thread}`}
          channel={channel}
          threadTs={thread}
        />
      )}
    </>
  );
}

function currentChannel(
  workspace: WorkspaceView,
  idOrName: string | undefined,
): Channel | undefined {
  const found = workspace.channels.find(
    (channel) => channel.id === idOrName || channel.name === idOrName,
  );
  return (
    found ?? workspace.channels.find((channel) => channel.kind !== 'im') ?? workspace.channels[0]
  );
}

function PhoneTabs() {
  const { route, go } = useUi();
  const isDeveloper = route.pane === 'developer';
  const keep = { thread: route.thread };
  return (
    <div class="phone-tabs phone-only" role="tablist" aria-label="Views">
      <button
        type="button"
        role="tab"
        aria-selected={!isDeveloper}
        onClick={() => go({ pane: 'chat', ...keep })}
      >
        Chat
      </button>
      <button
        type="button"
        role="tab"
        aria-selected={isDeveloper}
        onClick={() => go({ pane: 'developer', ...keep })}
      >
        Developer
      </button>
    </div>
  );
}
