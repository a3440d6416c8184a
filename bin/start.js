#!/usr/bin/env node
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleApp } from './bundle.js';

process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(await bundleApp(), 'main.js')).href);
