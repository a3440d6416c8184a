/** Creates an error response in the HTTP API's format (RFC 9457). */
export function refuseMcpRequest(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(
    JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail }),
    {
      status,
      headers: { ...headers, 'content-type': 'application/problem+json' },
    },
  );
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
