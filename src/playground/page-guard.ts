import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/**
 * Rejects requests caused by pages of other origins. An unlisted Host name may be another site's
 * name bound to this address (DNS rebinding). IP addresses and localhost are safe.
 */
export function guardOrigin(allowedHosts: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    if (!isOwnHost(host, allowedHosts)) {
      return c.json(
        {
          error: `The playground is not served under the host "${host}". Use http://localhost, or its IP address.`,
        },
        403,
      );
    }
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site') ?? 'none';
    const isForeign = origin !== undefined && hostOfOrigin(origin) !== host.toLowerCase();
    // Another page may link to this one, but may not send other requests.
    const isNavigation = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
    if (isForeign || !(['none', 'same-origin'].includes(site) || isNavigation)) {
      return c.json({ error: 'Another web page may not use the playground.' }, 403);
    }
    return next();
  };
}

function isOwnHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(address) !== 0 || allowedHosts.includes(name);
}

function hostOfOrigin(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Returns whether the host is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host.toLowerCase() === 'localhost' || host === '::1';
}

/**
 * Requires the token: in the query at the first visit, then in a cookie that scripts and other
 * sites cannot use.
 */
export function guardToken(token: string): MiddlewareHandler {
  const expected = digest(token);
  // All ports of a host share cookies, so the name is unique per start.
  const name = `countersign-${expected.toString('hex', 0, 6)}`;
  const isCorrect = (given: string | undefined) =>
    given !== undefined && timingSafeEqual(digest(given), expected);

  return async (c, next) => {
    const isPage = c.req.method === 'GET' && c.req.path === '/';
    if (isPage && isCorrect(c.req.query('token'))) {
      setCookie(c, name, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.redirect('/', 303);
    }
    if (isCorrect(getCookie(c, name))) return next();
    return isPage ? c.html(TOKEN_REQUIRED_PAGE, 401) : c.json({ error: TOKEN_REQUIRED }, 401);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const TOKEN_REQUIRED =
  'Open the playground with the full address that it printed at its start, including the token.';
/**
 * After a link from another site the browser sends the cookie only with the next request, hence the
 * link.
 */
const TOKEN_REQUIRED_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign</title>
<p>${TOKEN_REQUIRED}</p><p>Just opened that address? <a href="/">Continue to the playground.</a></p></html>`;
