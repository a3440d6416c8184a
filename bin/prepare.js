import { bundleApp } from './bundle.js';

await bundleApp();
