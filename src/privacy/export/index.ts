export { ExportFile, type PageCommit } from './export-file';
export { ExportRepository } from './export-rows';
export { notesIn } from './notes';
export type { PersonalDataExport } from './personal-data-export';
