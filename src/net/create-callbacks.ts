import {
  type Callbacks,
  callbackSecretOf,
  SIGNATURE_HEADER,
  signCallback,
} from '../domain/ports/callback.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { withTimeoutSignal } from '../domain/runtime/timeout.ts';
import { sendGuarded } from './guarded-request.ts';
import {
  addressProblem,
  PUBLIC_INTERNET,
  parseAddress,
  portOf,
  type WebAccess,
} from './ssrf-guard.ts';

const TIMEOUT_MS = 10_000;
const MAX_LENGTH = 2_000;

/** Creates the sender of callbacks: https to the public internet only, no redirects, and only the response's status is read. */
export function createCallbacks({
  installationKey,
  clock,
  reach = PUBLIC_INTERNET,
}: {
  readonly installationKey: Uint8Array;
  readonly clock: Clock;
  /** For tests, which may also use http. (Default: the public internet.) */
  readonly reach?: WebAccess | undefined;
}): Callbacks {
  function problemOf(text: string): string | undefined {
    const url = text.length > MAX_LENGTH ? undefined : parseAddress(text);
    if (!url) return `must be a URL of at most ${MAX_LENGTH} characters`;
    if (url.protocol !== 'https:' && reach === PUBLIC_INTERNET) return 'must be an https URL';
    const port = portOf(url);
    if (!reach.isAllowedPort(port)) {
      return `must use port 443, not ${port}`;
    }
    return addressProblem(url, reach);
  }

  async function post(
    url: URL,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ) {
    const response = await sendGuarded({ url, headers, body, reach, signal });
    response.destroy();
    return response.statusCode ?? 0;
  }

  return {
    problemOf,
    async send({ url: text, key, body }, signal) {
      const problem = problemOf(text);
      if (problem !== undefined)
        throw new Error(`The callback’s address can’t be used: ${problem}`);
      const url = new URL(text);
      const secret = callbackSecretOf(installationKey, key);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Countersign (callback)',
        [SIGNATURE_HEADER]: signCallback(secret, body, clock.now()),
      };
      const message = `${url.host} did not answer within ${TIMEOUT_MS / 1_000} s.`;
      await withTimeoutSignal(clock, { ms: TIMEOUT_MS, signal, message }, async (either) => {
        const status = await post(url, headers, body, either);
        if (status < 200 || status > 299)
          throw new Error(`${url.host} ${describeCallbackStatus(status)}`);
      });
    },
  };
}

function describeCallbackStatus(status: number): string {
  return status >= 300 && status < 400
    ? `answered ${status}, a redirect. Callbacks do not follow redirects.`
    : `answered ${status}. A callback needs a 2xx response.`;
}
