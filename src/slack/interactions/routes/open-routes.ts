import type { RouteList } from '../../../desk/control/routes.ts';
import type { Person } from '../../../domain/people/person.ts';
import { buildLoadingView, buildMessageView } from '../../forms/draw/small-views.ts';
import type { ClickBase } from '../../inbound/interaction.ts';
import type { Command } from '../../inbound/parse-command.ts';
import { toHandles } from '../../people/user-groups.ts';
import { buildRouteForm } from '../../routes/form/route-form.ts';
import type { RouteFormMetadata } from '../../routes/form/route-form-metadata.ts';
import { buildRoutesModal } from '../../routes/routes-modal.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { openView } from '../forms/open-view.ts';
import type { HandlerDeps } from '../handler.ts';
import { channelWarning } from './channel-warning.ts';

type View = Parameters<HandlerDeps['client']['views']['update']>[0]['view'];

/** Opens the list of routes from the slash command. */
export async function openRoutes(command: Command, deps: HandlerDeps): Promise<undefined> {
  const { by, channel, triggerId } = command;
  const origin = { person: by, channel, root: undefined, viewId: undefined };
  await openList({ origin, id: 'routes', triggerId }, deps);
}

export async function openList(opening: ClickBase, deps: HandlerDeps): Promise<void> {
  await openFor(opening, deps, async (found) =>
    buildRoutesModal({ ...found, handles: toHandles(await deps.userGroups()) }),
  );
}

/**
 * Opens the form of a route, on top of the list if that is open. It shows the route's current
 * values.
 */
export async function openRouteForm(
  opening: ClickBase,
  wanted: RouteFormMetadata,
  deps: HandlerDeps,
): Promise<void> {
  const isOnTop = wanted.from === 'list';
  await openFor(
    opening,
    deps,
    async ({ book }) => {
      const { name } = wanted;
      const route = book.routes.find((each) => each.name === name);
      if (name !== undefined && route === undefined) {
        return buildMessageView(`The route “${name}” no longer exists.`);
      }
      const [groups, note] = await Promise.all([
        deps.userGroups(),
        channelWarning(route?.channel, deps),
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
    isOnTop,
  );
}

/** The trigger expires after three seconds, so a light view opens first. */
async function openFor(
  opening: ClickBase,
  deps: HandlerDeps,
  build: (found: RouteList) => View | Promise<View>,
  isOnTop = false,
): Promise<void> {
  const loading = buildLoadingView('Loading the routes…');
  const viewId = await openView(loading, opening, deps, { isOnTop });
  if (viewId === undefined) return;
  const { client, log } = deps;
  try {
    const view = await viewFor(opening.origin.person, deps, build);
    await client.views.update({ view_id: viewId, view });
  } catch (error) {
    log.error({ err: error, action: opening.id }, 'The routes could not be shown.');
    await client.views.update({ view_id: viewId, view: buildMessageView(SENTENCES.formFailed) });
  }
}

async function viewFor(
  person: Person,
  { routes }: HandlerDeps,
  build: (found: RouteList) => View | Promise<View>,
): Promise<View> {
  const found = await routes.list(person);
  return found.kind === 'routes' ? await build(found) : buildMessageView(found.sentence);
}
