import { checkView } from '../../blocks/check-arguments.ts';
import { isJson, type Json, toText } from '../../json-value.ts';
import type { SlackDirectory } from '../../state/slack-directory.ts';
import type { TriggerIds } from '../../views/trigger-ids.ts';
import { toSlackView, type ViewResult, type WorkspaceViews } from '../../views/views.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';

/** The `views.*` methods. */
export function createViewMethods(
  views: WorkspaceViews,
  triggers: TriggerIds,
  directory: SlackDirectory,
): ApiMethods {
  const withTrigger =
    (type: string, act: (trigger: { userId: string; viewId?: string }, view: Json) => ViewResult) =>
    (args: Json): Json => {
      const refusal = checkTyped(args.view, type);
      if (refusal !== undefined) {
        return refusal;
      }
      const found = triggers.take(toText(args.trigger_id) || toText(args.interactivity_pointer));
      return 'error' in found
        ? slackError(found.error)
        : answer(act(found.trigger, args.view as Json));
    };

  return {
    'views.open': withTrigger('modal', ({ userId }, view) => views.open(userId, view)),
    'views.push': withTrigger('modal', (trigger, view) => views.push(trigger, view)),
    'views.update': ({ view, ...args }) =>
      checkView(view) ??
      answer(
        views.update(
          {
            ...(toText(args.view_id) === '' ? {} : { viewId: toText(args.view_id) }),
            ...(toText(args.external_id) === '' ? {} : { externalId: toText(args.external_id) }),
            ...(toText(args.hash) === '' ? {} : { hash: toText(args.hash) }),
          },
          view as Json,
        ),
      ),
    'views.publish': ({ view, ...args }) => {
      const userId = toText(args.user_id);
      if (directory.findMember(userId) === undefined) {
        return slackError('user_not_found');
      }
      return (
        checkTyped(view, 'home') ??
        answer(views.publish(userId, view as Json, toText(args.hash) || undefined))
      );
    },
  };
}

function checkTyped(view: unknown, type: string): Json | undefined {
  const refusal = checkView(view);
  if (refusal !== undefined || (isJson(view) && view.type === type)) {
    return refusal;
  }
  return slackError('invalid_arguments', {
    response_metadata: { messages: [`[ERROR] must be a ${type} [json-pointer:/view/type]`] },
  });
}

function answer(result: ViewResult): Json {
  return 'error' in result ? slackError(result.error) : slackOk({ view: toSlackView(result.view) });
}
