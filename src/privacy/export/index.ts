export { ExportRows } from './export-rows';
export { notesIn } from './notes';
export { RecordingRows } from './recordings';
export type { PersonalDataExport } from './personal-data-export';
