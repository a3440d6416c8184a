/**
 * Keeps the App Homes of a workspace up to date. Content is loaded from the store each time; memory
 * only holds the recent viewers, so that changes reach them without a click. Changes are batched:
 * each round refreshes every affected viewer at most once and publishes only what changed. If
 * another replica has published a newer view, that one stays.
 */
import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Person } from '../../domain/people/person.ts';
import { createKeyedQueues } from '../../domain/runtime/keyed-queues.ts';
import { createHomeRounds } from './home-rounds.ts';
import { type HomeState, INITIAL_HOME } from './home-state.ts';
import { buildHomeErrorView, buildHomeView, type HomeContent } from './home-view.ts';
import { createHomeViewers, type HomeViewer } from './home-viewers.ts';
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

/** Creates the Homes of a workspace. */
export function createHome(deps: HomeSources & { readonly client: WebClient }): Home {
  const { client, clock, log } = deps;
  const viewers = createHomeViewers(clock);
  const rounds = createHomeRounds({ clock, viewers, refresh: refreshViewer });
  /** Publishes one view per person at a time. */
  const inQueue = createKeyedQueues();

  async function inTurn(viewer: HomeViewer, work: () => Promise<void>): Promise<void> {
    await inQueue(viewer.person.user, work).catch((error: unknown) => {
      viewer.isDirty = true;
      log.error({ err: error, person: viewer.person }, 'A Home could not be updated.');
    });
  }

  async function show(person: Person, state = INITIAL_HOME, note?: string): Promise<void> {
    const viewer = viewers.remember(person, state, note);
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
    if (viewer.isDirty) rounds.schedule();
  }

  /** Updates a Home, unless nothing changed or another replica has published it since. */
  async function refreshViewer(viewer: HomeViewer): Promise<void> {
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

  async function publish(viewer: HomeViewer, content: HomeContent, hash: string | undefined) {
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

  function recordResult(viewer: HomeViewer, shown: string, published: PublishResult): void {
    const { person } = viewer;
    switch (published.kind) {
      case 'published':
        viewer.shown = shown;
        viewer.hash = published.hash;
        return;
      case 'outdated':
        viewers.forget(person);
        return;
      case 'later':
        log.warn({ err: published.error, person }, 'Slack did not publish a Home; retrying later.');
        rounds.postpone(published.afterMs);
        viewer.isDirty = true;
        // Slack may have published it anyway, under a hash we do not know.
        viewer.hash = undefined;
        return;
      case 'refused':
        log.error({ err: published.error, person }, 'Slack rejects every Home of this person.');
        viewers.forget(person);
    }
  }

  return {
    show,
    nudge: rounds.nudge,
    async refresh(person) {
      const viewer = viewers.of(person);
      if (viewer === undefined) return;
      await refreshViewer(viewer);
      if (viewer.isDirty) rounds.schedule();
    },
    stop: rounds.stop,
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
