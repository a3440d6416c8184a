/**
 * Keeps the App Homes of a workspace up to date. Content is loaded from the store each time; memory
 * only holds the recent viewers, so that changes reach them without a click. Changes are batched:
 * each round refreshes every affected viewer at most once and publishes only what changed. If
 * another replica has published a newer view, that one stays.
 */
import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Person } from '../../domain/people/person.ts';
import type { Cancel } from '../../domain/ports/clock.ts';
import { createKeyedQueues } from '../../domain/runtime/keyed-queues.ts';
import { type HomeState, INITIAL_HOME } from './home-state.ts';
import { buildHomeErrorView, buildHomeView, type HomeContent } from './home-view.ts';
import { type HomeSources, loadHome } from './load-home.ts';
import { type PublishResult, publishView } from './publish-view.ts';

/** The App Homes of a workspace. Errors are logged; no method rejects. */
export interface Home {
  /** Publishes a person's Home on their request. `note` reports the result of their last action. */
  show(person: Person, state?: HomeState, note?: string): Promise<void>;
  /** Refreshes the Home of a person who has just acted. */
  refresh(person: Person): Promise<void>;
  /** Schedules a refresh for all recent viewers after a change. */
  nudge(): void;
  /** Stops refreshing. Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** A recent viewer. */
interface Viewer {
  readonly person: Person;
  state: HomeState;
  until: number;
  /** The last published view without its time, and Slack's hash of it. */
  shown: string;
  hash: string | undefined;
  /** The result of their last action. */
  note: string | undefined;
  isDirty: boolean;
  readAt: number;
}

/** After this time without a click, a Home is no longer refreshed. */
const ACTIVE_MS = 15 * 60_000;
const MAX_VIEWERS = 200;
/** Changes within this time are shown together. */
const BATCH_MS = 2_000;
const ROUND_MS = 15_000;
/**
 * Slack allows about a hundred per minute in total:
 * https://docs.slack.dev/reference/methods/views.publish
 */
const MAX_PER_ROUND = 20;

/** Creates the Homes of a workspace. */
export function createHome(deps: HomeSources & { readonly client: WebClient }): Home {
  const { client, clock, log } = deps;
  const viewers = new Map<string, Viewer>();
  /** Publishes one view per person at a time. */
  const inQueue = createKeyedQueues();
  let cancel: Cancel | undefined;
  let currentRound: Promise<void> | undefined;
  let notBefore = 0;
  let isStopped = false;

  /** Moves the viewer to the end, so that the oldest comes first. */
  function remember(person: Person, state: HomeState, note: string | undefined): Viewer {
    const until = clock.now() + ACTIVE_MS;
    const fresh = { shown: '', hash: undefined, isDirty: false, readAt: 0 };
    const viewer: Viewer = viewers.get(person.user) ?? { ...fresh, person, state, note, until };
    Object.assign(viewer, { state, note, until });
    viewers.delete(person.user);
    viewers.set(person.user, viewer);
    const [oldest] = viewers.keys();
    if (viewers.size > MAX_VIEWERS && oldest !== undefined) viewers.delete(oldest);
    return viewer;
  }

  function dropIdleViewers(): void {
    for (const [user, { until }] of viewers) if (until <= clock.now()) viewers.delete(user);
  }

  async function inTurn(viewer: Viewer, work: () => Promise<void>): Promise<void> {
    await inQueue(viewer.person.user, work).catch((error: unknown) => {
      viewer.isDirty = true;
      log.error({ err: error, person: viewer.person }, 'A Home could not be updated.');
    });
  }

  async function show(person: Person, state = INITIAL_HOME, note?: string): Promise<void> {
    const viewer = remember(person, state, note);
    await inTurn(viewer, async () => {
      const content = await loadHome(deps, person, state).catch((error: unknown) => {
        log.error({ err: error, person }, 'The content of a Home could not be loaded.');
        return undefined;
      });
      if (content === undefined) {
        const view = buildHomeErrorView(state, clock.now());
        return recordResult(viewer, '', await publishView(client, person.user, view));
      }
      await publish(viewer, { ...content, note }, undefined);
      if (isIncomplete(content)) viewer.isDirty = true;
    });
    if (viewer.isDirty) schedule();
  }

  /** Updates a Home, unless nothing changed or another replica has published it since. */
  async function refreshViewer(viewer: Viewer): Promise<void> {
    await inTurn(viewer, async () => {
      viewer.isDirty = false;
      viewer.readAt = clock.now();
      const { person, state, note } = viewer;
      const content = { ...(await loadHome(deps, person, state)), note };
      if (isIncomplete(content)) {
        // Keep the published view, which is more complete, and try again.
        viewer.isDirty = true;
        return;
      }
      if (contentOf(buildHomeView(content)) === viewer.shown) return;
      await publish(viewer, content, viewer.hash);
    });
  }

  async function publish(viewer: Viewer, content: HomeContent, hash: string | undefined) {
    const { user } = viewer.person;
    viewer.state = content.state;
    const view = buildHomeView(content);
    const published = await publishView(client, user, view, hash);
    if (published.kind !== 'refused') return recordResult(viewer, contentOf(view), published);
    const lean = buildHomeView(content, { isLean: true });
    log.error(
      { err: published.error, user },
      'Slack rejected a Home; publishing it without the admin section.',
    );
    recordResult(viewer, contentOf(view), await publishView(client, user, lean, hash));
  }

  function recordResult(viewer: Viewer, shown: string, published: PublishResult): void {
    const { person } = viewer;
    switch (published.kind) {
      case 'published':
        viewer.shown = shown;
        viewer.hash = published.hash;
        return;
      case 'outdated':
        viewers.delete(person.user);
        return;
      case 'later':
        log.warn({ err: published.error, person }, 'Slack did not publish a Home; retrying later.');
        notBefore = Math.max(notBefore, clock.now() + published.afterMs);
        viewer.isDirty = true;
        // Slack may have published it anyway, under a hash we do not know.
        viewer.hash = undefined;
        return;
      case 'refused':
        log.error({ err: published.error, person }, 'Slack rejects every Home of this person.');
        viewers.delete(person.user);
    }
  }

  /** The first change waits a moment; later ones wait for the next round. */
  function schedule(): void {
    if (isStopped || cancel !== undefined || currentRound !== undefined) return;
    cancel = clock.schedule(Math.max(clock.now() + BATCH_MS, notBefore), () => {
      cancel = undefined;
      currentRound = runRound().finally(() => {
        currentRound = undefined;
        if ([...viewers.values()].some(({ isDirty }) => isDirty)) schedule();
      });
    });
  }

  async function runRound(): Promise<void> {
    dropIdleViewers();
    notBefore = clock.now() + ROUND_MS;
    const dirty = [...viewers.values()].filter(({ isDirty }) => isDirty);
    dirty.sort((a, b) => a.readAt - b.readAt);
    for (const viewer of dirty.slice(0, MAX_PER_ROUND)) {
      if (isStopped) return;
      await refreshViewer(viewer);
    }
  }

  function scheduleRefresh(): void {
    dropIdleViewers();
    if (viewers.size === 0) return;
    for (const viewer of viewers.values()) viewer.isDirty = true;
    schedule();
  }

  return {
    show,
    nudge: scheduleRefresh,
    async refresh({ user }) {
      const viewer = viewers.get(user);
      if (viewer === undefined) return;
      await refreshViewer(viewer);
      if (viewer.isDirty) schedule();
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await currentRound;
    },
  };
}

/** Tells whether the approvers could not all be looked up. */
function isIncomplete({ waiting }: HomeContent): boolean {
  return waiting.kind === 'page' ? waiting.warning !== undefined : waiting.passes === true;
}

/** Everything but the time, which is in the first block. */
function contentOf({ blocks, private_metadata: state }: HomeView): string {
  return JSON.stringify([state, blocks.slice(1)]);
}
