/** Warnings about settings without effect, for the operator. */
import { apiWarnings } from './api-config.ts';
import { graphWarnings } from './graph-config.ts';
import { modelWarnings } from './model-config.ts';
import { describeSuggestion, isSetting, suggestEnvironmentSetting } from './suggest-setting.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Lists settings that other settings make ineffective. */
export function settingWarnings(env: Environment): string[] {
  const warnings = [...modelWarnings(env), ...graphWarnings(env), ...apiWarnings(env)];
  for (const name of ['TAVILY_BASE_URL', 'MAX_SEARCH_RESULTS']) {
    if (env[name] && !env.TAVILY_API_KEY) {
      warnings.push(`${name} has no effect without TAVILY_API_KEY: there is no web search.`);
    }
  }
  if (env.REDIS_PREFIX && !env.REDIS_URL) {
    warnings.push('REDIS_PREFIX has no effect without REDIS_URL: the state is in DATA_DIR.');
  }
  if (env.REDIS_URL && env.DATA_DIR) {
    warnings.push('DATA_DIR has no effect while REDIS_URL is set: the state is in Redis.');
  }
  if (env.SLACK_APP_TOKEN && env.SLACK_SIGNING_SECRET) {
    warnings.push(
      'SLACK_SIGNING_SECRET has no effect while SLACK_APP_TOKEN is set: the app uses Socket Mode. Unset SLACK_APP_TOKEN for HTTP.',
    );
  }
  return warnings;
}

/**
 * Lists names, in the environment or in `.env`, that the app ignores. `used` are variables that
 * other settings fill in.
 */
export function settingNameWarnings(
  environment: Environment,
  envFile: Environment,
  used: ReadonlySet<string>,
): string[] {
  const set = Object.keys(environment).filter((name) => environment[name] !== undefined);
  const misspelled = set.flatMap((name) => {
    const isKnown = used.has(name) || Object.hasOwn(envFile, name);
    const meant = isKnown ? undefined : suggestEnvironmentSetting(name);
    return meant === undefined ? [] : [describeSuggestion(name, meant)];
  });
  // The operator's own module or graph may read any variable.
  const isOpen = Boolean(environment.TOOLS_MODULE?.trim() || environment.GRAPH?.trim());
  const unused = Object.keys(envFile).filter(
    (name) => !(isOpen || isSetting(name) || used.has(name)),
  );
  const overridden = Object.keys(envFile).filter(
    (name) => environment[name]?.trim() === '' && envFile[name]?.trim() !== '',
  );
  return [
    ...misspelled,
    ...unused.map((name) => `${name} in .env has no effect: no setting has this name.`),
    ...overridden.map(
      (name) => `${name} is empty in the environment, which overrides its value in .env.`,
    ),
  ];
}
