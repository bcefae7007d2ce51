/** `npm run dashboards`: writes the files of deploy/monitoring that Grafana loads. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DASHBOARDS } from './dashboards';
import { grafanaJson } from './grafana';

const FOLDER = path.resolve(__dirname, '../../deploy/monitoring/grafana/dashboards');

for (const dashboard of DASHBOARDS) {
  writeFileSync(path.join(FOLDER, `${dashboard.uid}.json`), grafanaJson(dashboard));
}
