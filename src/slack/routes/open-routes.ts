import type { RoutesFound } from '../../desk/set-routes.ts';
import type { Person } from '../../domain/person.ts';
import type { Click } from '../check-click.ts';
import { buildLoadingView, buildMessageView } from '../forms/small-views.ts';
import type { HandlerDeps } from '../handlers/handler.ts';
import { openView } from '../handlers/open-view.ts';
import type { Command } from '../parse-command.ts';
import { SENTENCES } from '../sentences.ts';
import { channelNote } from './channel-note.ts';
import { buildRouteForm } from './route-form.ts';
import type { RouteMeta } from './route-meta.ts';
import { buildRoutesView } from './routes-view.ts';
import { toHandles } from './user-groups.ts';

type Opening = Pick<Click, 'origin' | 'actionId' | 'triggerId'>;
type View = Parameters<HandlerDeps['client']['views']['update']>[0]['view'];

/** Opens the list of routes by a command. */
export async function openRoutes(command: Command, deps: HandlerDeps): Promise<undefined> {
  const { by, channel, triggerId } = command;
  const origin = { person: by, channel, root: undefined, viewId: undefined };
  await openList({ origin, actionId: 'routes', triggerId }, deps);
}

/** Opens the list of routes. */
export async function openList(opening: Opening, deps: HandlerDeps): Promise<void> {
  await openFor(opening, deps, async (found) =>
    buildRoutesView({ ...found, handles: toHandles(await deps.userGroups()) }),
  );
}

/** Opens the form of a route, over the list where that is open; filled with what the route says now, if it has not changed since it was shown. */
export async function openRouteForm(
  opening: Opening,
  wanted: RouteMeta,
  deps: HandlerDeps,
): Promise<void> {
  const isOver = wanted.from === 'list';
  await openFor(
    opening,
    deps,
    async ({ book }) => {
      const { name } = wanted;
      const route = book.routes.find((each) => each.name === name);
      if (name !== undefined && route === undefined) {
        return buildMessageView(`The route “${name}” is not there any more.`);
      }
      const [groups, note] = await Promise.all([
        deps.userGroups(),
        channelNote(route?.channel, deps),
      ]);
      return buildRouteForm({
        route,
        book,
        tools: deps.toolbox.list().map((tool) => tool.name),
        groups,
        meta: { ...wanted, seen: route?.revision ?? 0 },
        channelNote: note,
      });
    },
    isOver,
  );
}

/** The trigger lives three seconds: a light view opens before anything is asked. */
async function openFor(
  opening: Opening,
  deps: HandlerDeps,
  build: (found: RoutesFound) => View | Promise<View>,
  isOver = false,
): Promise<void> {
  const loading = buildLoadingView('Looking at the routes…');
  const viewId = await openView(loading, opening, deps, { isOver });
  if (viewId === undefined) return;
  const { client, log } = deps;
  try {
    const view = await viewFor(opening.origin.person, deps, build);
    await client.views.update({ view_id: viewId, view });
  } catch (error) {
    log.error({ err: error, action: opening.actionId }, 'The routes could not be shown.');
    await client.views.update({ view_id: viewId, view: buildMessageView(SENTENCES.formFailed) });
  }
}

async function viewFor(
  person: Person,
  { routes }: HandlerDeps,
  build: (found: RoutesFound) => View | Promise<View>,
): Promise<View> {
  const found = await routes.look(person);
  return found.kind === 'routes' ? await build(found) : buildMessageView(found.sentence);
}
