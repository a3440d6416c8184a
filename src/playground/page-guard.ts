import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/**
 * Refuses requests that a page of another origin caused. A Host that is a name other than the
 * listed ones may be another site's name bound to this address (DNS rebinding); an IP address or
 * localhost can't be.
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
    // A link on another page may open this one, but nothing else may come from there.
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

/** Tells whether nobody but this machine reaches what listens there. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host.toLowerCase() === 'localhost' || host === '::1';
}

/**
 * Lets in whoever brings the token: in the query of the page's address at the first visit, and from
 * then on in a cookie that no script and no other site can use.
 */
export function guardToken(token: string): MiddlewareHandler {
  const wanted = digest(token);
  // Cookies are shared by all ports of a host: each start has one of its own.
  const name = `countersign-${wanted.toString('hex', 0, 6)}`;
  const isRight = (given: string | undefined) =>
    given !== undefined && timingSafeEqual(digest(given), wanted);

  return async (c, next) => {
    const isPage = c.req.method === 'GET' && c.req.path === '/';
    if (isPage && isRight(c.req.query('token'))) {
      setCookie(c, name, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.redirect('/', 303);
    }
    if (isRight(getCookie(c, name))) return next();
    return isPage ? c.html(NO_TOKEN, 401) : c.json({ error: SAY_NO_TOKEN }, 401);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const SAY_NO_TOKEN =
  'The playground opens with the whole address that it printed at its start, the token included.';
/** A browser that came by a link of another site sends the cookie with the next step only. */
const NO_TOKEN = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign</title>
<p>${SAY_NO_TOKEN}</p><p>You have just opened it? <a href="/">Go on to the playground.</a></p></html>`;
