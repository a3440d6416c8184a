import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';

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
        { error: `The playground is not served under the host "${host}". Use http://localhost.` },
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
