/**
 * The App Home of everybody. What is shown is read anew each time; in memory is only who has looked
 * lately, so that new work comes to them by itself. Changes are gathered: however many there are, in
 * a round each of those people is read for once, and what looks as it did is not published. A view
 * that another replica has published since is left to that one.
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

/** The Homes of a workspace; what fails is logged, and nothing here rejects. */
export interface Home {
  /** Shows a person their Home, as they have just asked for it; a note says what came of what they did there. */
  show(person: Person, place?: HomeState, note?: string): Promise<void>;
  /** A person has just done something that their Home may show. */
  follow(person: Person): Promise<void>;
  /** Something has changed: who has looked lately sees it soon. */
  nudge(): void;
  /** Ends the rounds; resolves when the one that is under way has ended. */
  stop(): Promise<void>;
}

/** Somebody who has looked lately. */
interface Viewer {
  readonly person: Person;
  place: HomeState;
  until: number;
  /** The view as it was published last, without the time; and Slack's hash of it. */
  shown: string;
  hash: string | undefined;
  /** What came of what they did last. */
  note: string | undefined;
  isDirty: boolean;
  readAt: number;
}

/** Who has not done anything on Home for so long opens it anew. */
const LATELY_MS = 15 * 60_000;
const MAX_VIEWERS = 200;
/** What happens within this time is shown together. */
const GATHERED_MS = 2_000;
const ROUND_MS = 15_000;
/** Slack takes some hundred a minute of all: https://docs.slack.dev/reference/methods/views.publish */
const MAX_IN_A_ROUND = 20;

/** Creates the Homes of a workspace. */
export function createHome(deps: HomeSources & { readonly client: WebClient }): Home {
  const { client, clock, log } = deps;
  const viewers = new Map<string, Viewer>();
  /** One view of a person at a time. */
  const inQueue = createKeyedQueues();
  let cancel: Cancel | undefined;
  let underWay: Promise<void> | undefined;
  let notBefore = 0;
  let isStopped = false;

  /** Those who have looked latest come last. */
  function remember(person: Person, place: HomeState, note: string | undefined): Viewer {
    const until = clock.now() + LATELY_MS;
    const fresh = { shown: '', hash: undefined, isDirty: false, readAt: 0 };
    const viewer: Viewer = viewers.get(person.user) ?? { ...fresh, person, place, note, until };
    Object.assign(viewer, { place, note, until });
    viewers.delete(person.user);
    viewers.set(person.user, viewer);
    const [oldest] = viewers.keys();
    if (viewers.size > MAX_VIEWERS && oldest !== undefined) viewers.delete(oldest);
    return viewer;
  }

  function forgetOld(): void {
    for (const [user, { until }] of viewers) if (until <= clock.now()) viewers.delete(user);
  }

  async function inTurn(viewer: Viewer, work: () => Promise<void>): Promise<void> {
    await inQueue(viewer.person.user, work).catch((error: unknown) => {
      viewer.isDirty = true;
      log.error({ err: error, person: viewer.person }, 'A Home could not be shown.');
    });
  }

  async function show(person: Person, place = INITIAL_HOME, note?: string): Promise<void> {
    const viewer = remember(person, place, note);
    await inTurn(viewer, async () => {
      const content = await loadHome(deps, person, place).catch((error: unknown) => {
        log.error({ err: error, person }, 'A Home could not be read.');
        return undefined;
      });
      if (content === undefined) {
        const view = buildHomeErrorView(place, clock.now());
        return take(viewer, '', await publishView(client, person.user, view));
      }
      await publish(viewer, { ...content, note }, undefined);
      if (isDoubtful(content)) viewer.isDirty = true;
    });
    if (viewer.isDirty) schedule();
  }

  /** Brings a Home up to date, unless it looks so already or another replica shows it. */
  async function refresh(viewer: Viewer): Promise<void> {
    await inTurn(viewer, async () => {
      viewer.isDirty = false;
      viewer.readAt = clock.now();
      const { person, place, note } = viewer;
      const content = { ...(await loadHome(deps, person, place)), note };
      if (isDoubtful(content)) {
        // What stands there was known; this is less, and may be more again in a moment.
        viewer.isDirty = true;
        return;
      }
      if (lookOf(buildHomeView(content)) === viewer.shown) return;
      await publish(viewer, content, viewer.hash);
    });
  }

  async function publish(viewer: Viewer, content: HomeContent, hash: string | undefined) {
    const { user } = viewer.person;
    viewer.place = content.place;
    const view = buildHomeView(content);
    const published = await publishView(client, user, view, hash);
    if (published.kind !== 'refused') return take(viewer, lookOf(view), published);
    const lean = buildHomeView(content, { isLean: true });
    log.error(
      { err: published.error, user },
      'Slack does not take a Home; it is shown without the rest.',
    );
    take(viewer, lookOf(view), await publishView(client, user, lean, hash));
  }

  function take(viewer: Viewer, shown: string, published: PublishResult): void {
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
        log.warn({ err: published.error, person }, 'A Home is shown later.');
        notBefore = Math.max(notBefore, clock.now() + published.afterMs);
        viewer.isDirty = true;
        // It may be there all the same, as another one than the last that is known of.
        viewer.hash = undefined;
        return;
      case 'refused':
        log.error({ err: published.error, person }, 'Slack takes no Home of this person.');
        viewers.delete(person.user);
    }
  }

  /** The first of what is gathered waits a moment, what follows for its round. */
  function schedule(): void {
    if (isStopped || cancel !== undefined || underWay !== undefined) return;
    cancel = clock.schedule(Math.max(clock.now() + GATHERED_MS, notBefore), () => {
      cancel = undefined;
      underWay = goRound().finally(() => {
        underWay = undefined;
        if ([...viewers.values()].some(({ isDirty }) => isDirty)) schedule();
      });
    });
  }

  async function goRound(): Promise<void> {
    forgetOld();
    notBefore = clock.now() + ROUND_MS;
    const dirty = [...viewers.values()].filter(({ isDirty }) => isDirty);
    dirty.sort((a, b) => a.readAt - b.readAt);
    for (const viewer of dirty.slice(0, MAX_IN_A_ROUND)) {
      if (isStopped) return;
      await refresh(viewer);
    }
  }

  function scheduleRefresh(): void {
    forgetOld();
    if (viewers.size === 0) return;
    for (const viewer of viewers.values()) viewer.isDirty = true;
    schedule();
  }

  return {
    show,
    nudge: scheduleRefresh,
    async follow({ user }) {
      const viewer = viewers.get(user);
      if (viewer === undefined) return;
      await refresh(viewer);
      if (viewer.isDirty) schedule();
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await underWay;
    },
  };
}

/** Whether the workspace did not tell all that has to be known. */
function isDoubtful({ waiting }: HomeContent): boolean {
  return waiting.kind === 'page' ? waiting.doubt !== undefined : waiting.passes === true;
}

/** All but the time of reading, which is in the first block. */
function lookOf({ blocks, private_metadata: place }: HomeView): string {
  return JSON.stringify([place, blocks.slice(1)]);
}
