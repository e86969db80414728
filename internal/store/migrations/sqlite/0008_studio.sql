-- +goose Up
-- What the gallery asks for, each newest first. Those of few rows hold only these.
CREATE INDEX generations_by_model ON generations (workspace, model, created_at, id);
CREATE INDEX generations_by_type ON generations (workspace, media_type, created_at, id);
CREATE INDEX generations_by_app ON generations (workspace, app, created_at, id) WHERE app <> '';
CREATE INDEX generations_of_apps ON generations (workspace, created_at, id) WHERE app <> '';
CREATE INDEX generations_by_people ON generations (workspace, created_at, id) WHERE key = '';
CREATE INDEX generations_without_end ON generations (workspace, created_at, id) WHERE state IN ('failed', 'canceled');
