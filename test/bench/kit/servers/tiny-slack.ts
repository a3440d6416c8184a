import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A Slack API that knows one app and accepts every request at once. */
export interface TinySlack {
  readonly apiUrl: string;
  stop(): Promise<void>;
}

export const APP = { team: 'T1', botUserId: 'U0', botId: 'B0', appId: 'A0' };

/** Starts it on a free port. */
export async function startTinySlack(): Promise<TinySlack> {
  const answers: Readonly<Record<string, object>> = {
    '/auth.test': { team_id: APP.team, user_id: APP.botUserId, bot_id: APP.botId },
    '/bots.info': { bot: { id: APP.botId, app_id: APP.appId } },
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: true, ...answers[request.url ?? ''] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
