#!/usr/bin/env node
import { importApp } from './bundle.js';

await importApp('main');
