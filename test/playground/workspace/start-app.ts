import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { CLOSERS, clientOptions } from './start-lab.ts';

const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Runs a real Bolt app against the workspace, over HTTP or Socket Mode. */
export async function startApp(
  workspace: Workspace,
  transport: 'http' | 'socket',
  listen: (app: App) => void,
): Promise<App> {
  const options = {
    token: workspace.botToken,
    logger: QUIET,
    clientOptions: clientOptions(workspace),
  };
  if (transport === 'http') {
    const receiver = new HTTPReceiver({
      signingSecret: workspace.signingSecret,
      port: 0,
      logger: QUIET,
    });
    const app = new App({ ...options, receiver });
    listen(app);
    const server = (await app.start(0)) as Server;
    CLOSERS.get(workspace)?.push(() => {
      server.closeAllConnections();
      return app.stop();
    });
    const { port } = server.address() as AddressInfo;
    workspace.deliverTo({ kind: 'http', url: `http://127.0.0.1:${port}/slack/events` });
    return app;
  }
  const receiver = new SocketModeReceiver({
    appToken: workspace.appToken,
    logger: QUIET,
    clientPingTimeout: 150,
    installerOptions: { clientOptions: clientOptions(workspace) },
  });
  const app = new App({ ...options, receiver });
  listen(app);
  workspace.deliverTo({ kind: 'socket' });
  await app.start();
  CLOSERS.get(workspace)?.push(() => app.stop());
  await workspace.connected();
  return app;
}
