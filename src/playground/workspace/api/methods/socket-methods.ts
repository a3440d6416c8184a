import { LIMITS } from '../../blocks/limits.ts';
import { validateMessage, validateView } from '../../blocks/validate-blocks.ts';
import type { SocketHub } from '../../delivery/socket-hub.ts';
import { isJson, type Json, parseJson } from '../../json-value.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';

/**
 * `apps.connections.open` for Socket Mode, and `blocks.validate`, which checks blocks without
 * sending them.
 */
export function createSocketMethods(url: string, sockets: SocketHub): ApiMethods {
  return {
    'api.test': (args) => slackOk({ args }),
    'apps.connections.open': () =>
      slackOk({
        url: `${url.replace(/^http/, 'ws')}/link?ticket=${sockets.issueTicket()}`,
      }),
    'blocks.validate': (args) => {
      const given = ['blocks', 'message', 'view'].filter((name) => args[name] !== undefined);
      const [name] = given;
      if (name === undefined || given.length > 1) {
        return slackError('invalid_arguments', {
          errors: [{ code: 'invalid_arguments', message: 'exactly one of blocks, message, view' }],
        });
      }
      const subject = args[name];
      if (typeof subject === 'string' && subject.length > LIMITS.validatedText.max) {
        return slackError('invalid_arguments', {
          errors: [{ code: 'invalid_arguments', message: `${name} is too long` }],
        });
      }
      const errors = validate(name, toObject(subject));
      return errors.length === 0 ? slackOk() : slackError(`invalid_${name}`, { errors });
    },
  };
}

function toObject(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : value;
}

function validate(name: string, value: unknown): readonly Json[] {
  if (name === 'view') {
    return validateView(value).map((problem) => ({ ...problem }));
  }
  const message = name === 'message' && isJson(value) ? value : { blocks: value };
  return validateMessage(message).map((problem) => ({ ...problem }));
}
