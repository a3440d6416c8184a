/** The text of a JSON string, or of a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/gs;
const LONG = /[0-9]{16}/;
const WHOLE = /^-?[0-9]+$/;

/**
 * Fetches as the machine does, but for long whole numbers of a JSON answer: those that would lose
 * digits here come as texts. A graph in another language runs with all of them, and people have to
 * see what it runs with.
 */
export async function exactFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const { headers, status, statusText, ok } = response;
  if (!ok || !headers.get('content-type')?.includes('json')) return response;
  const text = await response.text();
  const exact = LONG.test(text) ? text.replaceAll(TOKEN, keepDigits) : text;
  return new Response(exact, { headers, status, statusText });
}

function keepDigits(token: string): string {
  const isLost = WHOLE.test(token) && BigInt(token) !== BigInt(Number(token));
  return isLost ? `"${token}"` : token;
}
