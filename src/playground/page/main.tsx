import { render } from 'preact';
import { App } from './shell/app.tsx';
import { fetchStart } from './state/backend.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('page.html has no element with the id "root".');

try {
  const start = await fetchStart();
  // Remove the “starting” text, which is not part of the app.
  root.replaceChildren();
  render(<App start={start} />, root);
} catch (error) {
  root.textContent = `The playground could not start: ${String(error)}`;
}
