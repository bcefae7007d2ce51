import { start } from './bootstrap/start';

void start();
