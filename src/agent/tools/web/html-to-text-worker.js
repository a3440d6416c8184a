/** Converts the HTML in `workerData` to text. Plain JavaScript, so that it needs no loader. */
import { parentPort, workerData } from 'node:worker_threads';
import { convert } from 'html-to-text';

const text = convert(workerData, {
  wordwrap: false,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'nav', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
});
parentPort?.postMessage(text);
