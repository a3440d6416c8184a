import type { Config } from './config.ts';

/** Returns the values of a configuration that must not appear in logs. */
export function secretValuesOf(config: Config): readonly (string | undefined)[] {
  const { api, graph, mcp, model, redis, search } = config;
  const by = api.people?.by;
  const ofPeople = by?.kind === 'secret' ? by.secret : undefined;
  const ofGraph = graph?.kind === 'server' ? graph.apiKey : undefined;
  const fixed = [model?.apiKey, search?.apiKey, passwordOf(redis?.url), ofPeople, ofGraph];
  const always = [...fixed, ...mcp.secrets];
  if (config.mode === 'playground') return always;
  const { slack } = config;
  const own = slack.delivery === 'socket' ? slack.appToken : slack.signingSecret;
  return [...always, slack.botToken, own];
}

function passwordOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : decodeURIComponent(new URL(url).password);
}
