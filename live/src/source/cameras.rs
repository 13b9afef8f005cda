//! Which cameras there are, and which one is meant.

use super::{SourceError, camera, spec::near_names};

/// What can be done with a camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameraState {
    /// It can be opened.
    Ready,
    /// Another program has it.
    Busy,
    /// The system does not let this program have it.
    Forbidden,
}

/// A camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CameraInfo {
    /// Its number; numbers may skip.
    pub number: usize,
    /// What its maker calls it; several may be called the same.
    pub name: String,
    /// Whether it can be opened.
    pub state: CameraState,
    /// Formats and sizes, as "MJPG 1280×720, 640×480".
    pub formats: Vec<String>,
}

/// All cameras, by number.
pub fn list() -> Vec<CameraInfo> {
    let mut cameras = camera::list();
    cameras.sort_by_key(|camera| camera.number);
    cameras
}

/// The list of `cameras` for people.
pub fn table(cameras: &[CameraInfo]) -> String {
    if cameras.is_empty() {
        return format!("{}\n", SourceError::NoCamera);
    }
    let mut text = String::new();
    for camera in cameras {
        let state = match camera.state {
            CameraState::Ready => "",
            CameraState::Busy => "  (busy: another program uses it)",
            CameraState::Forbidden => "  (not permitted to this program)",
        };
        text.push_str(&format!("{:>3}  {}{state}\n", camera.number, camera.name));
        for format in &camera.formats {
            text.push_str(&format!("       {format}\n"));
        }
    }
    text
}

/// The camera with the lowest number.
pub(super) fn first() -> Result<CameraInfo, SourceError> {
    list().into_iter().next().ok_or(SourceError::NoCamera)
}

/// The camera of this number, and no other.
pub(super) fn numbered(number: usize) -> Result<CameraInfo, SourceError> {
    let cameras = list();
    match cameras.iter().find(|camera| camera.number == number) {
        Some(camera) => Ok(camera.clone()),
        None => Err(SourceError::Missing { wanted: format!("camera {number}"), there: there(&cameras) }),
    }
}

/// The camera whose name is, or else holds, `name`.
pub(super) fn named(name: &str) -> Result<CameraInfo, SourceError> {
    choose(name, &list())
}

/// The camera that had this number and name: never one of another name, even if it has the number now.
pub(super) fn again(number: usize, name: &str) -> Result<CameraInfo, SourceError> {
    find_again(number, name, &list())
}

fn find_again(number: usize, name: &str, cameras: &[CameraInfo]) -> Result<CameraInfo, SourceError> {
    let same_name: Vec<&CameraInfo> = cameras.iter().filter(|camera| camera.name == name).collect();
    match same_name.iter().find(|camera| camera.number == number).or(same_name.first()) {
        Some(camera) => Ok((*camera).clone()),
        None => Err(SourceError::Missing { wanted: format!("camera {number} ({name})"), there: there(cameras) }),
    }
}

fn choose(name: &str, cameras: &[CameraInfo]) -> Result<CameraInfo, SourceError> {
    let wanted = name.to_lowercase();
    let exact = |camera: &&CameraInfo| camera.name.to_lowercase() == wanted;
    let holding = |camera: &&CameraInfo| camera.name.to_lowercase().contains(&wanted);
    let mut found: Vec<&CameraInfo> = cameras.iter().filter(exact).collect();
    if found.is_empty() {
        found = cameras.iter().filter(holding).collect();
    }
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(SourceError::NoSuchName { name: name.to_owned(), there: there(cameras), near: near_names(name.as_ref()) }),
        several => {
            let names: Vec<String> = several.iter().map(|camera| format!("{} {}", camera.number, camera.name)).collect();
            Err(SourceError::Ambiguous { names: names.join(", ") })
        }
    }
}

fn there(cameras: &[CameraInfo]) -> String {
    match cameras {
        [] => "is no camera".to_owned(),
        [one] => format!("is {} {}", one.number, one.name),
        several => {
            let names: Vec<String> = several.iter().map(|camera| format!("{} {}", camera.number, camera.name)).collect();
            format!("are {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cameras() -> Vec<CameraInfo> {
        let camera = |number, name: &str| CameraInfo { number, name: name.into(), state: CameraState::Ready, formats: vec![] };
        vec![camera(0, "Integrated Camera"), camera(2, "HD Webcam"), camera(4, "HD Webcam Pro")]
    }

    #[test]
    fn a_camera_is_found_by_a_part_of_its_name_if_only_one_has_it() {
        assert_eq!(choose("integrated", &cameras()).unwrap().number, 0);
        assert_eq!(choose("hd webcam", &cameras()).unwrap().number, 2, "the whole name goes before a part of another");
        let error = choose("webcam", &cameras()).unwrap_err();
        assert!(error.to_string().contains("2 HD Webcam, 4 HD Webcam Pro"), "{error}");
        let error = choose("phone", &cameras()).unwrap_err().to_string();
        assert!(error.contains("the camera “phone” is not there") && error.contains("there are 0 Integrated Camera"), "{error}");
    }

    #[test]
    fn a_camera_is_found_again_under_another_number_but_never_another_camera() {
        assert_eq!(find_again(0, "HD Webcam", &cameras()).unwrap().number, 2);
        let error = find_again(0, "Brio", &cameras()).unwrap_err();
        assert!(matches!(error, SourceError::Missing { .. }), "number 0 is the Integrated Camera now");
    }
}
